import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startTraces } from '../../src/telemetry/traces.ts';
import { silentLog } from '../kit/log.ts';
import { chatRecord } from './fixtures.ts';

interface SentSpan {
  name: string;
  kind: number;
  traceId: string;
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  events: { name: string; timeUnixNano: string }[];
  status: { code: number; message?: string };
}

/** A collector that keeps what it is sent, as OTLP over HTTP has it. */
async function startCollector() {
  const paths: string[] = [];
  const bodies: {
    resourceSpans: { resource: { attributes: SentSpan['attributes'] }; scopeSpans: { spans: SentSpan[] }[] }[];
  }[] = [];
  const server: Server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    paths.push(`${request.method} ${request.url}`);
    bodies.push(JSON.parse(text));
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    bodies,
    spans: () =>
      bodies.flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

const valuesOf = ({ attributes }: Pick<SentSpan, 'attributes'>) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

let collector: Awaited<ReturnType<typeof startCollector>> | undefined;
afterEach(async () => {
  await collector?.stop();
  collector = undefined;
});

describe('the traces', () => {
  it('reach a collector over OTLP, named as OpenTelemetry names what generative models do', async () => {
    collector = await startCollector();
    const traces = startTraces(`${collector.url}/`, '1.2.3', silentLog);
    traces.tell(chatRecord());
    await traces.end();
    expect(collector.paths).toEqual(['POST /v1/traces']);
    const [span, ...others] = collector.spans();
    expect(others).toEqual([]);
    expect(span).toMatchObject({ name: 'chat tiny', kind: 2 });
    expect(valuesOf(span as SentSpan)).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'paddock',
      'gen_ai.request.model': 'tiny',
      'gen_ai.response.model': 'tiny',
      'gen_ai.usage.input_tokens': 30,
      'gen_ai.usage.cache_read.input_tokens': 10,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.response.finish_reasons': { values: [{ stringValue: 'stop' }] },
      'http.request.method': 'POST',
      'http.route': '/v1/chat/completions',
      'http.response.status_code': 200,
      'paddock.request_id': 'req-1',
      'paddock.key': 'alice',
    });
    const { startTimeUnixNano: start, endTimeUnixNano: end, events = [] } = span as SentSpan;
    expect(Number(BigInt(end) - BigInt(start)) / 1e6).toBe(1000);
    expect(events.map(({ name, timeUnixNano }) => [name, Number(BigInt(timeUnixNano) - BigInt(start)) / 1e6])).toEqual([
      ['first token', 200],
    ]);
    const [resource] = collector.bodies.flatMap(({ resourceSpans }) => resourceSpans.map(({ resource }) => resource));
    expect(valuesOf(resource as SentSpan)).toMatchObject({ 'service.name': 'paddock', 'service.version': '1.2.3' });
  });

  it("continue the client's trace, and tell errors", async () => {
    collector = await startCollector();
    const traces = startTraces(collector.url, '1', silentLog);
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    traces.tell(chatRecord({ traceparent, status: 503, error: 'overloaded', promptTokens: 0, finish: null }));
    await traces.end();
    const [span] = collector.spans();
    expect(span).toMatchObject({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      parentSpanId: 'b7ad6b7169203331',
      status: { code: 2, message: 'overloaded' },
    });
    expect(valuesOf(span as SentSpan)).toMatchObject({ 'error.type': 'overloaded' });
  });

  it.each([
    [200, 'client_left', 0],
    [499, 'client_left', 0],
    [400, 'invalid_request', 0],
    [429, 'rate_limit_exceeded', 0],
    [200, 'shutting_down', 2],
    [500, 'server_error', 2],
  ])(
    'of status %i with the error %s have the status %i: only what the server did wrong is an error of its span',
    async (status, error, code) => {
      collector = await startCollector();
      const traces = startTraces(collector.url, '1', silentLog);
      traces.tell(chatRecord({ status, error }));
      await traces.end();
      const [span] = collector.spans();
      expect(span?.status.code).toBe(code);
      expect(valuesOf(span as SentSpan)).toMatchObject({ 'error.type': error });
    },
  );

  it('have nothing of requests that ask no model, or whose client wants no trace', async () => {
    collector = await startCollector();
    const traces = startTraces(collector.url, '1', silentLog);
    for (const route of ['/health', '/v1/models', '/metrics', 'other']) traces.tell(chatRecord({ route }));
    traces.tell(chatRecord({ traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00' }));
    await traces.end();
    expect(collector.spans()).toEqual([]);
  });

  it('end in time though the collector is gone', async () => {
    const traces = startTraces('http://127.0.0.1:9', '1', silentLog);
    traces.tell(chatRecord());
    const began = performance.now();
    await traces.end();
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
