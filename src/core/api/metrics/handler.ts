import { notSupportedHere } from '../../errors.ts';
import type { RequestContext } from '../context.ts';
import { authenticate, checkManages } from '../http/auth.ts';
import type { ApiReply, ApiRequest } from '../http/http.ts';

/** The version of the format is that of every Prometheus since 2014. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** GET /metrics. Throws a 401 or 403 `ApiError` without a key that may manage, unless the metrics are open. */
export async function tellMetrics(
  { apiKeys, metrics, metricsOpen, record }: RequestContext,
  { headers }: Pick<ApiRequest, 'headers'>,
): Promise<ApiReply> {
  if (!metricsOpen) {
    record.key = authenticate(apiKeys, headers);
    checkManages(record.key);
  }
  if (!metrics) throw notSupportedHere('This Paddock keeps no metrics.');
  return { status: 200, headers: { 'content-type': CONTENT_TYPE }, body: await metrics() };
}
