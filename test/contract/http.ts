import { expect } from 'vitest';
import type { ContractCase } from './suite.ts';
import { chatBody, getJson, postChat } from './target.ts';

export const httpCases: ContractCase[] = [
  {
    name: 'answers a missing and a wrong key with 401 authentication_error invalid_api_key',
    check: async (target) => {
      for (const authorization of ['', 'Bearer wrong', `Basic ${target.apiKey}`, `Bearer ${target.apiKey}x`]) {
        const { status, body } = await getJson(target, '/v1/models', { authorization });
        expect(status).toBe(401);
        expect(body.error).toMatchObject({ type: 'authentication_error', code: 'invalid_api_key' });
        expect(body.error.message).not.toContain(target.apiKey);
      }
    },
  },
  {
    name: 'answers /health without a key',
    check: async (target) => {
      const { status, body } = await getJson(target, '/health', { authorization: '' });
      expect(status).toBe(200);
      expect(body.status).toBe('ok');
    },
  },
  {
    name: 'answers unknown paths with 404, other methods with 405 and Allow, as JSON',
    check: async (target) => {
      expect(await getJson(target, '/v1/nothing')).toMatchObject({
        status: 404,
        body: { error: { code: 'not_found' } },
      });
      const wrong = await getJson(target, '/v1/chat/completions');
      expect(wrong).toMatchObject({ status: 405, body: { error: { code: 'method_not_allowed' } } });
      expect(wrong.headers.get('allow')).toBe('POST, OPTIONS');
    },
  },
  {
    name: 'answers preflights of local pages without a key, and lets them read errors too',
    check: async (target) => {
      const origin = 'http://localhost:5173';
      const preflight = await fetch(`${target.url}/v1/chat/completions`, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization, content-type, x-stainless-lang',
        },
      });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
      expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
      expect(preflight.headers.get('access-control-allow-headers')).toContain('x-stainless-lang');
      const error = await postChat(target, chatBody({ model: 'none' }), { headers: { origin } });
      expect(error.headers.get('access-control-allow-origin')).toBe(origin);
    },
  },
  {
    name: 'gives pages of other origins nothing to read',
    check: async (target) => {
      const { headers } = await getJson(target, '/v1/models', { origin: 'https://example.com' });
      expect(headers.get('access-control-allow-origin')).toBeNull();
    },
  },
  {
    name: 'refuses a body over the limit with 413, and serves on',
    check: async (target) => {
      const body = JSON.stringify(chatBody({ messages: [{ role: 'user', content: 'x'.repeat(33 * 1024 * 1024) }] }));
      const { status, body: reply } = await postChat(target, body);
      expect(status).toBe(413);
      expect(reply.error.message).toContain(String(32 * 1024 * 1024));
      expect((await postChat(target, chatBody())).status).toBe(200);
    },
  },
];
