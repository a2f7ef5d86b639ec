import type { RequestContext } from '../context.ts';
import { type ApiReply, jsonReply } from '../http/http.ts';

/**
 * GET /health: tells that the server is alive, which models are loaded, what they run on and how busy they are, and
 * which models are loading or unloading.
 */
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
