import { expect } from 'vitest';
import type { ContractCase } from '../suite.ts';
import { chatBody, getJson, postChat, postJson } from '../target.ts';

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
    name: 'takes the key in x-api-key as well',
    check: async (target) => {
      const given = { authorization: '', 'x-api-key': target.apiKey };
      expect((await getJson(target, '/v1/models', given)).status).toBe(200);
      expect((await getJson(target, '/v1/models', { ...given, 'x-api-key': 'wrong' })).status).toBe(401);
    },
  },
  {
    name: 'tells a stranger in /health only that it lives',
    check: async (target) => {
      for (const authorization of ['', 'Bearer wrong'])
        expect(await getJson(target, '/health', { authorization })).toMatchObject({
          status: 200,
          body: { status: 'ok' },
        });
      expect((await getJson(target, '/health', { authorization: '' })).body).toEqual({ status: 'ok' });
      expect((await getJson(target, '/health')).body).toMatchObject({ status: 'ok', models: expect.any(Array) });
    },
  },
  {
    name: 'answers /ready without a key',
    check: async (target) => {
      expect(await getJson(target, '/ready', { authorization: '' })).toMatchObject({
        status: 200,
        body: { status: 'ready' },
      });
    },
  },
  {
    name: 'tells its metrics to those with a key, in the text format of Prometheus',
    check: async (target) => {
      expect(await getJson(target, '/metrics', { authorization: '' })).toMatchObject({
        status: 401,
        body: { error: { code: 'invalid_api_key' } },
      });
      await postChat(target, chatBody());
      const response = await fetch(`${target.url}/metrics`, { headers: { 'x-api-key': target.apiKey } });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
      const text = await response.text();
      expect(text).toMatch(/^paddock_generated_tokens_total\{model="tiny",key="key-1"\} [1-9]/m);
      expect(text).toMatch(/^paddock_requests_running\{model="tiny"\} \d/m);
      expect(text).not.toContain(target.apiKey);
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
    name: 'answers HEAD as GET, without a body',
    check: async (target) => {
      const headers = { authorization: `Bearer ${target.apiKey}` };
      for (const path of ['/health', '/ready', '/v1/models', '/v1/models/tiny', '/openapi.json']) {
        const response = await fetch(target.url + path, { method: 'HEAD', headers });
        expect(response.status, path).toBe(200);
        expect(response.headers.get('content-type')).toBe('application/json');
        expect(await response.text()).toBe('');
      }
      expect((await fetch(`${target.url}/v1/models/none`, { method: 'HEAD', headers })).status).toBe(404);
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
    name: 'lets pages of other sites call nothing, and local ones neither pull nor remove models',
    check: async (target) => {
      const foreign = { origin: 'https://example.com' };
      const local = { origin: 'http://localhost:5173' };
      const refused = { status: 403, body: { error: { type: 'permission_error', code: 'origin_not_allowed' } } };
      expect(await postChat(target, chatBody(), { headers: foreign })).toMatchObject(refused);
      expect(await postJson(target, '/v1/messages', {}, { headers: foreign })).toMatchObject({
        status: 403,
        body: { type: 'error', error: { type: 'permission_error' } },
      });
      expect((await postChat(target, chatBody({ max_tokens: 1 }), { headers: local })).status).toBe(200);
      for (const headers of [foreign, local]) {
        const source = { model: 'hf:a/b' };
        expect(await postJson(target, '/v1/models/pull', source, { headers })).toMatchObject(refused);
        const removal = await postJson(target, '/v1/models/tiny', {}, { method: 'DELETE', headers });
        expect(removal).toMatchObject(refused);
      }
      expect((await getJson(target, '/v1/models/tiny')).status).toBe(200);
    },
  },
  {
    name: 'refuses a body that is nested too deep or has too many values or long keys, and serves on',
    check: async (target) => {
      const list = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
      const refusals: [metadata: unknown, code: string, says: RegExp][] = [
        [list(4000), 'body_too_deep', /more than 128 deep/],
        [Array(60_000).fill('x'), 'body_too_many_values', /more than 50000 values/],
        [{ ['k'.repeat(300)]: 1 }, 'body_key_too_long', /256 bytes/],
      ];
      for (const [metadata, code, says] of refusals) {
        const { status, body } = await postChat(target, chatBody({ metadata }));
        expect(status).toBe(400);
        expect(body.error).toMatchObject({ type: 'invalid_request_error', code, message: expect.stringMatching(says) });
      }
      expect((await postChat(target, chatBody({ max_tokens: 1, metadata: list(100) }))).status).toBe(200);
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
