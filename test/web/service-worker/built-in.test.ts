import { describe, expect, it } from 'vitest';
import { readBuiltIn, withBuiltIn } from '../../../web/service-worker/built-in.ts';
import { browserModel } from './support/models.ts';

describe('the models that come with Paddock', () => {
  it('have whole URLs, wherever the site is', async () => {
    const listed = Response.json([browserModel('pico', 'shell')]);
    const [model] = await readBuiltIn(listed, new URL('https://site.example/app/'));
    expect(model?.source.files).toEqual([
      { place: 'shell', url: 'https://site.example/app/models/pico.gguf', size: 10 },
    ]);
  });

  it('are an error where the list is missing', async () => {
    const missing = new Response('', { status: 404 });
    await expect(readBuiltIn(missing, new URL('https://site.example/'))).rejects.toThrow('404');
  });

  it("come after the user's own, which win", () => {
    const own = [browserModel('b'), browserModel('pico')];
    const all = withBuiltIn(own, [browserModel('pico', 'shell'), browserModel('a', 'shell')]);
    expect(all.map(({ card, source }) => [card.id, source.files[0]?.place])).toEqual([
      ['b', 'opfs'],
      ['pico', 'opfs'],
      ['a', 'shell'],
    ]);
  });
});
