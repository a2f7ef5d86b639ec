import type { RequestContext } from '../context.ts';
import { type ApiReply, jsonReply } from '../http/http.ts';

/**
 * GET /v1/lora-adapters: the LoRA adapters of all models, in llama-server's form. `id` is the index of an adapter in the
 * list of its model, and `scale` applies to requests that name no adapters.
 */
export function listAdapters({ catalogue }: Pick<RequestContext, 'catalogue'>): ApiReply {
  const adapters = catalogue
    .list()
    .flatMap((card) =>
      (card.settings.lora ?? []).map(({ id: name, scale }, id) => ({ id, name, scale, model: card.id })),
    );
  return jsonReply(adapters);
}
