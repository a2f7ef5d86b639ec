import { type ApiError, invalidRequest } from '../../contract/errors.ts';
import type { AppliedAdapter } from '../../contract/generation-request.ts';
import type { ModelCard, OfferedAdapter } from '../../contract/models/model.ts';
import type { NamedAdapters } from '../fields/lora.ts';

/**
 * Returns the LoRA adapters of a generation: those that the request names, or else those that the model applies by
 * default. An empty list names none, as in llama-server. Throws a 400 `ApiError` for an adapter that the model lacks,
 * and for one that is named twice.
 */
export function toAppliedAdapters(named: NamedAdapters | null | undefined, model: ModelCard): AppliedAdapter[] {
  const offered = model.settings.lora ?? [];
  const scales = named?.length ? readScales(named, offered, model.id) : scalesOf(offered);
  return offered.flatMap(({ id }) => {
    const scale = scales.get(id) ?? 0;
    return scale === 0 ? [] : [{ name: id, scale }];
  });
}

function scalesOf(offered: OfferedAdapter[]): Map<string, number> {
  return new Map(offered.map(({ id, scale }) => [id, scale]));
}

function readScales(named: NamedAdapters, offered: OfferedAdapter[], modelId: string): Map<string, number> {
  const scales = new Map<string, number>();
  for (const [index, { id, scale }] of named.entries()) {
    const param = `lora[${index}].id`;
    const adapter = typeof id === 'number' ? offered[id] : offered.find((each) => each.id === id);
    if (!adapter) throw unknownAdapter(id, offered, modelId, param);
    if (scales.has(adapter.id)) throw invalidRequest(`lora names the adapter '${adapter.id}' twice.`, param);
    scales.set(adapter.id, scale);
  }
  return scales;
}

/** 400: the model has no such adapter. The message lists those that it has. */
function unknownAdapter(id: string | number, offered: OfferedAdapter[], modelId: string, param: string): ApiError {
  const wanted = typeof id === 'number' ? `with the index ${id}` : `'${id}'`;
  const names = offered.map((adapter, index) => `'${adapter.id}' (${index})`);
  const known = names.length > 0 ? `It has ${names.join(', ')}.` : 'It has none.';
  return invalidRequest(`The model '${modelId}' has no LoRA adapter ${wanted}. ${known}`, param, 'unknown_lora');
}
