import type { RequestContext } from '../context.ts';
import { type ApiReply, jsonReply } from '../http/http.ts';

/** GET /health: whether the server lives, what each loaded model runs on and how busy it is, and which load or unload. */
export function health({ runner }: RequestContext): ApiReply {
  const models = runner.loaded().map(({ id, engine, fallbackReasons, memory, busy, waiting }) => ({
    id,
    backend: engine.backend,
    device: engine.device,
    fallback_reasons: fallbackReasons,
    context_length: engine.contextLength,
    slots: engine.slots,
    memory,
    busy,
    waiting,
  }));
  return jsonReply({ status: 'ok', models, moving: runner.moving() });
}
