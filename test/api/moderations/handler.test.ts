import { expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { createContext, post, readJson } from '../fixtures.ts';

it('a moderation is refused in words, with what does the same', async () => {
  const reply = await createApi(createContext().context)(post('/v1/moderations', { input: 'Hello' }));
  expect(reply.status).toBe(501);
  expect(await readJson(reply)).toMatchObject({
    error: { code: 'moderations_not_supported', message: expect.stringContaining('no text was checked') },
  });
});
