import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SSE_DONE, SSE_HEADERS, SSE_PING, sseEvent } from '../../../src/api/stream/sse.ts';

describe('server-sent events', () => {
  it('are one data line and a blank line', () => {
    expect(sseEvent({ a: 'x\ny\r\u2028' })).toBe('data: {"a":"x\\ny\\r\u2028"}\n\n');
  });

  it('keep any JSON intact, on one line', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const event = sseEvent(value);
        expect(event).toMatch(/^data: [^\r\n]*\n\n$/);
        expect(JSON.parse(event.slice('data: '.length))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('end with the literal [DONE]', () => {
    expect(SSE_DONE).toBe('data: [DONE]\n\n');
  });

  it('have a ping that every client ignores', () => {
    expect(SSE_PING).toBe(': ping\n\n');
  });

  it('are sent as an event stream that nothing buffers or caches', () => {
    expect(SSE_HEADERS['content-type']).toMatch(/^text\/event-stream/);
    expect(SSE_HEADERS['cache-control']).toContain('no-cache');
    expect(SSE_HEADERS['x-accel-buffering']).toBe('no');
  });
});
