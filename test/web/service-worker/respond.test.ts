import { describe, expect, it, vi } from 'vitest';
import { type ApiReply, jsonReply } from '../../../src/api/http/http.ts';
import { respond, toResponse } from '../../../web/service-worker/respond.ts';
import { eventually } from '../../kit/eventually.ts';

const never = new Promise<never>(() => {});
const ignore = () => {};

describe('toResponse', () => {
  it('has the status, the headers and the body of a whole reply', async () => {
    const response = toResponse(jsonReply({ a: 'ü' }, 418, { 'retry-after': '5' }));
    expect(response.status).toBe(418);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('retry-after')).toBe('5');
    expect(await response.json()).toEqual({ a: 'ü' });
  });

  it('has no body where HTTP allows none', () => {
    expect(toResponse({ status: 204, headers: {}, body: '' }).body).toBeNull();
  });

  it('sends each piece of a stream as it comes', async () => {
    let send: (text: string) => void = ignore;
    async function* body() {
      yield 'one';
      yield await new Promise<string>((resolve) => {
        send = resolve;
      });
    }
    const reader = toResponse({ status: 200, headers: {}, body: body() }).body?.getReader();
    const read = async () => new TextDecoder().decode((await reader?.read())?.value);
    expect(await read()).toBe('one');
    const second = read();
    await eventually(() => expect(send).not.toBe(ignore));
    send('two');
    expect(await second).toBe('two');
    expect((await reader?.read())?.done).toBe(true);
  });

  it('sends pieces that come within one task as one chunk', async () => {
    async function* body() {
      yield 'one ';
      yield 'two ';
      await new Promise((resolve) => setTimeout(resolve, 5));
      yield 'three';
    }
    const chunks: string[] = [];
    const reader = toResponse({ status: 200, headers: {}, body: body() }).body?.getReader();
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
      chunks.push(new TextDecoder().decode(next.value));
    }
    expect(chunks).toEqual(['one two ', 'three']);
  });

  it('breaks off a stream whose body fails', async () => {
    async function* body() {
      yield 'one';
      await new Promise((resolve) => setTimeout(resolve, 5));
      throw new Error('broken');
    }
    await expect(toResponse({ status: 200, headers: {}, body: body() }).text()).rejects.toThrow('broken');
  });

  it('ends a stream that its page stops reading, also while it waits for the next piece', async () => {
    const end = vi.fn(async () => ({ done: true as const, value: undefined }));
    const body = { [Symbol.asyncIterator]: () => ({ next: () => never, return: end }) };
    await toResponse({ status: 200, headers: {}, body }).body?.cancel();
    expect(end).toHaveBeenCalledOnce();
  });
});

describe('respond', () => {
  it('answers with the reply as it is when it comes before anything is generated', async () => {
    const reply = Promise.resolve(jsonReply({ error: {} }, 503));
    expect((await respond({ reply, begun: never, cancel: ignore, requestId: 'req-1' })).status).toBe(503);
  });

  it('answers once the generation has begun, and the body follows when it is whole', async () => {
    let finish: (reply: ApiReply) => void = ignore;
    const reply = new Promise<ApiReply>((resolve) => {
      finish = resolve;
    });
    const response = await respond({ reply, begun: Promise.resolve(), cancel: ignore, requestId: 'req-1' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('x-request-id')).toBe('req-1');
    expect(response.headers.get('request-id')).toBe('req-1');
    finish(jsonReply({ whole: true }));
    expect(await response.json()).toEqual({ whole: true });
  });

  it('cancels the generation when the page gives up the body', async () => {
    const cancel = vi.fn();
    const response = await respond({ reply: never, begun: Promise.resolve(), cancel, requestId: 'req-1' });
    await response.body?.cancel();
    expect(cancel).toHaveBeenCalledOnce();
  });

  it('breaks the body off when the generation fails after all', async () => {
    let fail: (reply: ApiReply) => void = ignore;
    const reply = new Promise<ApiReply>((resolve) => {
      fail = resolve;
    });
    const response = await respond({ reply, begun: Promise.resolve(), cancel: ignore, requestId: 'req-1' });
    fail(jsonReply({ error: {} }, 500));
    await expect(response.text()).rejects.toThrow();
  });

  it('prefers the reply of a stream, which is there with its first event', async () => {
    async function* body() {
      yield 'data: 1\n\n';
    }
    const begun = Promise.resolve();
    const reply = begun.then(() => {}).then(() => ({ status: 200, headers: { 'x-kind': 'stream' }, body: body() }));
    const response = await respond({ reply, begun, cancel: ignore, requestId: 'req-1' });
    expect(response.headers.get('x-kind')).toBe('stream');
    expect(await response.text()).toBe('data: 1\n\n');
  });
});
