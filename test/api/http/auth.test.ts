import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { authenticate, ownerOf } from '../../../src/api/http/auth.ts';
import { plainKeys } from '../../../src/api/keys/plain.ts';
import { ApiError } from '../../../src/contract/errors.ts';
import { chat, createContext, get, readJson } from '../fixtures.ts';

const KEYS = ['sk-one', 'sk-second-key'];

function passes(authorization: string | undefined, keys: string[] = KEYS): boolean {
  try {
    authenticate(plainKeys(keys), authorization === undefined ? {} : { authorization });
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error.data).toMatchObject({ status: 401, type: 'authentication_error', code: 'invalid_api_key' });
    return false;
  }
}

describe('authentication', () => {
  it('needs no key if none is configured', () => {
    expect(passes(undefined, [])).toBe(true);
    expect(passes('Bearer whatever', [])).toBe(true);
    expect(passes('nonsense', [])).toBe(true);
  });

  it('accepts any of the configured keys', () => {
    for (const key of KEYS) expect(passes(`Bearer ${key}`)).toBe(true);
  });

  it.each(['bearer', 'BEARER', 'bEaReR'])('accepts the scheme as %s too', (scheme) => {
    expect(passes(`${scheme} sk-one`)).toBe(true);
  });

  it('accepts several spaces between scheme and key', () => {
    expect(passes('Bearer   sk-one')).toBe(true);
  });

  it('takes the key in x-api-key as well, whatever Authorization holds', () => {
    expect(() => authenticate(plainKeys(KEYS), { 'x-api-key': 'sk-one' })).not.toThrow();
    expect(() => authenticate(plainKeys(KEYS), { 'x-api-key': 'sk-one', authorization: 'Bearer none' })).not.toThrow();
    expect(() => authenticate(plainKeys(KEYS), { 'x-api-key': 'sk-two' })).toThrow('not valid');
    expect(() => authenticate(plainKeys(KEYS), { 'x-api-key': '' })).toThrow('required');
  });

  it.each<[string, string | undefined]>([
    ['no header', undefined],
    ['an empty header', ''],
    ['a scheme alone', 'Bearer'],
    ['an empty key', 'Bearer '],
    ['another scheme', 'Basic sk-one'],
    ['a key without a scheme', 'sk-one'],
    ['a wrong key', 'Bearer sk-two'],
    ['a wrong key of the same length', 'Bearer sk-onf'],
    ['a key in other letters', 'Bearer SK-ONE'],
    ['the beginning of a key', 'Bearer sk-on'],
    ['a key and more', 'Bearer sk-one!'],
    ['a key twice', 'Bearer sk-onesk-one'],
    ['two keys', 'Bearer sk-one sk-one'],
    ['a scheme glued to the key', 'Bearersk-one'],
  ])('refuses %s', (_, authorization) => {
    expect(passes(authorization)).toBe(false);
  });

  it('does not reveal the keys', () => {
    for (const authorization of [undefined, 'Bearer sk-on', 'Basic sk-one']) {
      try {
        authenticate(plainKeys(KEYS), authorization === undefined ? {} : { authorization });
      } catch (error) {
        expect(String(error)).not.toContain('sk-');
      }
    }
  });

  it('accepts exactly the configured keys', () => {
    const key = fc.string({ unit: fc.constantFrom('a', 'b', '-'), minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(key, { minLength: 1, maxLength: 3 }), key, (keys, given) => {
        expect(passes(`Bearer ${given}`, keys)).toBe(keys.includes(given));
      }),
    );
  });
});

describe('the API with a key', () => {
  const { context } = createContext({ apiKeys: plainKeys(KEYS) });
  const api = createApi(context);

  it.each([
    ['the list of models', get('/v1/models')],
    ['a model', get('/v1/models/tiny')],
    ['a chat', chat()],
    ['an unknown path', get('/v1/nothing')],
    ['a wrong method', get('/v1/chat/completions')],
  ])('answers %s with 401 without it', async (_, request) => {
    const reply = await api(request);
    expect(reply.status).toBe(401);
    expect(await readJson(reply)).toMatchObject({
      error: { type: 'authentication_error', code: 'invalid_api_key', param: null, message: expect.any(String) },
    });
  });

  it('answers with it', async () => {
    const headers = { authorization: 'Bearer sk-one' };
    expect((await api(get('/v1/models', headers))).status).toBe(200);
    expect((await api(chat({}, { headers: { ...headers, 'content-type': 'application/json' } }))).status).toBe(200);
    expect((await api(get('/v1/nothing', headers))).status).toBe(404);
  });

  it('answers /health without it', async () => {
    expect((await api(get('/health'))).status).toBe(200);
  });
});

describe('the owner of what a request stores', () => {
  const keys = plainKeys(['sk-one', 'sk-two']);
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

  it('is told by the key, in whichever header it is, and never is the key itself', async () => {
    const owner = await ownerOf(keys, { headers: bearer('sk-one') });
    expect(owner).toMatch(/^[0-9a-f]{64}$/);
    expect(await ownerOf(keys, { headers: { 'x-api-key': 'sk-one' } })).toBe(owner);
    expect(await ownerOf(keys, { headers: bearer('sk-two') })).not.toBe(owner);
  });

  it('is that of the key that holds where there are two', async () => {
    const both = { ...bearer('placeholder'), 'x-api-key': 'sk-two' };
    expect(await ownerOf(keys, { headers: both })).toBe(await ownerOf(keys, { headers: bearer('sk-two') }));
  });

  it('is told by any key where none is needed, and is one for all who send none', async () => {
    expect(await ownerOf(plainKeys([]), { headers: bearer('a') })).not.toBe(
      await ownerOf(plainKeys([]), { headers: bearer('b') }),
    );
    expect(await ownerOf(plainKeys([]), { headers: {} })).toBe('anonymous');
  });

  it('is whoever the server asks for, whatever the headers say', async () => {
    const onBehalf = { owner: 'ada', key: null, party: { name: '', priority: 0 } };
    expect(await ownerOf(plainKeys(['sk-one']), { headers: bearer('sk-one'), onBehalf })).toBe('ada');
  });
});
