import { shuttingDown } from '../../errors.ts';
import type { RequestContext } from '../context.ts';
import { isKnown } from '../http/auth.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';

/**
 * GET /health: says that the server lives. It also says what each loaded model runs on and how busy it is, and which load or
 * unload, but not to strangers where keys are set.
 */
export function health({ apiKeys, runner }: RequestContext, { headers }: Pick<ApiRequest, 'headers'>): ApiReply {
  if (!isKnown(apiKeys, headers)) return jsonReply({ status: 'ok' });
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

/** GET /ready: says that the server takes work. Throws a 503 `ApiError` from the moment on that it begins to shut down. */
export function ready({ leaving }: RequestContext): ApiReply {
  if (leaving?.aborted) throw shuttingDown();
  return jsonReply({ status: 'ready' });
}
