import {
  type Attributes,
  isSpanContextValid,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { CLIENT_LEFT, type RequestRecord } from '../api/record.ts';
import { type Log, toLogFields } from '../contract/log.ts';

/** Sends a span of each request to an OpenTelemetry collector. */
export interface Traces {
  tell(record: RequestRecord): void;
  /** Sends the remaining spans, and waits for a second at most. */
  end(): Promise<void>;
}

const LAST_WORDS_MS = 1000;

/** The operation names of OpenTelemetry's conventions, by the routes that ask models. */
const OPERATIONS: Record<string, string> = {
  '/v1/chat/completions': 'chat',
  '/v1/responses': 'chat',
  '/v1/messages': 'chat',
  '/api/chat': 'chat',
  '/v1/completions': 'text_completion',
  '/api/generate': 'text_completion',
  '/v1/embeddings': 'embeddings',
  '/api/embed': 'embeddings',
  '/api/embeddings': 'embeddings',
};

/** @param endpoint the collector's URL, without the path of traces */
export function startTraces(endpoint: string, version: string, log: Log): Traces {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'paddock', 'service.version': version }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('paddock', version);
  // Records have times of the process's clock, and spans need the time of day.
  const toDate = (ms: number) => new Date(performance.timeOrigin + ms);

  return {
    tell(record) {
      // Spans of requests for health or lists of models would only hide the generations.
      const operation = OPERATIONS[record.route];
      if (!operation) return;
      const parent = readParent(record.traceparent);
      const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
      const { model } = record.trace;
      const span = tracer.startSpan(
        model === undefined ? operation : `${operation} ${model}`,
        { kind: SpanKind.SERVER, startTime: toDate(record.began), attributes: attributesOf(record, operation) },
        context,
      );
      if (record.firstPiece > 0) span.addEvent('first token', {}, toDate(record.firstPiece));
      if (record.error !== null && isOurs(record))
        span.setStatus({ code: SpanStatusCode.ERROR, message: record.error });
      span.end(toDate(record.ended));
    },
    async end() {
      const late = new Promise<void>((resolve) => void setTimeout(resolve, LAST_WORDS_MS).unref());
      const sent = provider
        .shutdown()
        .catch((error: unknown) => log.warn('the last traces were not sent', toLogFields(error)));
      await Promise.race([sent, late]);
    },
  };
}

/**
 * True if an error is the server's. By the conventions, the span of a server has no error if the client made a mistake (4xx) or left.
 * https://opentelemetry.io/docs/specs/semconv/http/http-spans/#status
 */
function isOurs({ status, error }: RequestRecord): boolean {
  return error !== CLIENT_LEFT.code && (status < 400 || status >= 500);
}

/** Returns the attributes by https://opentelemetry.io/docs/specs/semconv/gen-ai/, and our own for values without a convention. */
function attributesOf(record: RequestRecord, operation: string): Attributes {
  const { trace: identity, method, route, status, key, finish, error, promptTokens, cachedTokens } = record;
  return {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': 'paddock',
    ...(identity.model !== undefined && {
      'gen_ai.request.model': identity.model,
      'gen_ai.response.model': identity.model,
    }),
    ...(promptTokens > 0 && {
      'gen_ai.usage.input_tokens': promptTokens,
      'gen_ai.usage.cache_read.input_tokens': cachedTokens,
      'gen_ai.usage.output_tokens': record.completionTokens,
    }),
    ...(finish !== null && { 'gen_ai.response.finish_reasons': [finish] }),
    ...(error !== null && { 'error.type': error }),
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    'paddock.request_id': identity.requestId,
    'paddock.queue_seconds': record.queuedMs / 1000,
    ...(key && { 'paddock.key': key.name }),
  };
}

/** Returns the client's span, the parent of ours: https://www.w3.org/TR/trace-context/ */
function readParent(traceparent: string | undefined): SpanContext | null {
  const [, traceId = '', spanId = '', flags = ''] =
    /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})/.exec(traceparent ?? '') ?? [];
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
  return isSpanContextValid(parent) ? parent : null;
}
