import { shuttingDown } from '../../contract/errors.ts';
import type { RequestContext } from '../context.ts';
import { keyOf } from '../http/auth.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';

/**
 * GET /health: says that the server lives. It also says what each loaded model runs on and how busy it is, and which load or
 * unload, but not to strangers where keys are set.
 */
export function health({ apiKeys, runner }: RequestContext, { headers }: Pick<ApiRequest, 'headers'>): ApiReply {
  const key = keyOf(apiKeys, headers);
  if (apiKeys.required && !key) return jsonReply({ status: 'ok' });
  const isSeen = ({ id }: { id: string }) => !key?.models || key.models.includes(id);
  const models = runner
    .loaded()
    .filter(isSeen)
    .map(({ id, engine, fallbackReasons, memory, busy, waiting }) => ({
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
  const memory = runner.memory?.();
  return jsonReply({
    status: 'ok',
    models,
    moving: runner.moving().filter(isSeen),
    ...(memory && { memory: { available: Math.floor(memory.available), held: Math.floor(memory.held) } }),
  });
}

/**
 * GET /ready: says that the server takes work. Throws a 503 `ApiError` while it loads the models that it was told to have ready, and
 * from the moment on that it begins to shut down.
 */
export function ready({ leaving, unready }: RequestContext): ApiReply {
  if (leaving?.aborted) throw shuttingDown();
  const reason = unready?.();
  if (reason) throw reason;
  return jsonReply({ status: 'ready' });
}
