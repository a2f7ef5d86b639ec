import { shuttingDown } from '../../contract/errors.ts';
import type { RequestContext } from '../context.ts';
import { keyOf } from '../http/auth.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';

/**
 * GET /health: reports that the server runs. If the request has a key, or no key is configured, it also reports the
 * device and load of each loaded model, and the models that are being loaded or unloaded.
 */
export function tellHealth({ apiKeys, runner }: RequestContext, { headers }: Pick<ApiRequest, 'headers'>): ApiReply {
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
      ...(engine.kernels !== undefined && { kernels: engine.kernels }),
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
 * GET /ready: reports that the server takes work. Throws a 503 `ApiError` while it loads the models of --preload, and
 * once it has begun to shut down.
 */
export function ready({ leaving, unready }: RequestContext): ApiReply {
  if (leaving?.aborted) throw shuttingDown();
  const reason = unready?.();
  if (reason) throw reason;
  return jsonReply({ status: 'ready' });
}
