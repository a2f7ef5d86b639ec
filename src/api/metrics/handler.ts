import { notSupportedHere } from '../../contract/errors.ts';
import type { RequestContext } from '../context.ts';
import type { ApiReply } from '../http/http.ts';

/** The version of the format is that of every Prometheus since 2014. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * GET /metrics: all metrics as Prometheus reads them. Throws a 501 `ApiError` where Paddock keeps none, as in a
 * browser.
 */
export async function tellMetrics({ metrics }: RequestContext): Promise<ApiReply> {
  if (!metrics) throw notSupportedHere('This Paddock keeps no metrics.');
  return { status: 200, headers: { 'content-type': CONTENT_TYPE }, body: await metrics() };
}
