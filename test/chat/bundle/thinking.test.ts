// @module-tag slow
import { beforeAll, describe, expect, it } from 'vitest';
import type { ReplyDelta } from '../../../src/chat/formats/format.ts';
import { formatOf, showsReasoning } from '../../../src/chat/formats/index.ts';
import { createPreparer } from '../../../src/chat/prepare.ts';
import { createThoughtGuide } from '../../../src/engine/native/draw/thought-guide.ts';
import { ask, chat } from '../../kit/generation.ts';
import { traits } from '../fixtures.ts';
import { noBundle, readBundle } from './bundle.ts';

/** A vocabulary of characters: the token of a character is its code. */
const CHARACTERS = {
  tokensAmid: (text: string) => Array.from(text, (character) => character.codePointAt(0) ?? 0),
  nameOrText: (tokens: number[]) => String.fromCodePoint(...tokens),
};
const TOOLS = [{ name: 'search', parameters: { type: 'object', properties: { query: { type: 'string' } } } }];

describe.skipIf(noBundle)(`limits of reasoning${noBundle ? ` (skipped: ${noBundle})` : ''}`, () => {
  let templates: [name: string, source: string][];
  beforeAll(() => {
    templates = [...readBundle().templates];
  }, 60_000);

  it.each([[[]], [TOOLS]])('end the thoughts of each template by its own mark, with tools %j', (tools) => {
    const found = templates.flatMap(([name, source]) => {
      const prompt = chat([{ role: 'user', content: 'Hello' }], { tools });
      const prepared = createPreparer(traits(source))({ ...ask('', { prompt }), thinkingBudget: 9 });
      const { thinking, format, parser: options } = prepared;
      if (!format || !options) throw new Error('there is no parser');
      if (!thinking) return [];
      const text = write('thoughts and more of them', thinking);
      const parser = formatOf(format).createParser(options);
      const deltas: ReplyDelta[] = [...parser.push(text), ...parser.finish()];
      const textOf = (kind: 'reasoning' | 'content') =>
        deltas.map((delta) => (delta.kind === kind ? delta.text : '')).join('');
      return [{ name, reasoning: textOf('reasoning').trim(), content: textOf('content').trim() }];
    });
    expect(found.length).toBeGreaterThan(30);
    const expected = { reasoning: 'thoughts', content: 'and more of them' };
    expect(found).toEqual(found.map(({ name }) => ({ name, ...expected })));
  });
});

describe.skipIf(noBundle)(`the reasoning of a template${noBundle ? ` (skipped: ${noBundle})` : ''}`, () => {
  it('is seen without a rendering', () => {
    const { templates } = readBundle();
    const names = ['Apertus-8B-Instruct', 'Kimi-K3', 'tencent-Hy3', 'upstage-Solar-Open-100B', 'openai-gpt-oss-120b'];
    expect(names.filter((name) => !showsReasoning(templates.get(name) ?? ''))).toEqual([]);
    const others = ['Qwen3-Coder', 'LFM2.5-Instruct', 'meta-llama-Llama-3.3-70B-Instruct', 'google-gemma-2-2b-it'];
    expect(others.filter((name) => showsReasoning(templates.get(name) ?? ''))).toEqual([]);
  });
});

describe.skipIf(noBundle)(`reasoning that is switched off${noBundle ? ` (skipped: ${noBundle})` : ''}`, () => {
  it('has no thoughts with any template that reasons, whether it has a switch or not', () => {
    const found = [...readBundle().templates].flatMap(([name, source]) => {
      const prompt = chat([{ role: 'user', content: 'Hello' }], { templateKwargs: { enable_thinking: false } });
      const prepared = createPreparer(traits(source))(ask('', { prompt }));
      const { thinking, format, parser: options } = prepared;
      const marks = format && formatOf(format).reasoning[0];
      if (!marks || !options) throw new Error('there is no parser');
      if (!source.includes(marks.open.trim()) && !options.startsInReasoning) return [];
      const closes = String(prepared.prompt).trimEnd().endsWith(marks.close);
      if (closes || !thinking) return [{ name, isOff: closes }];
      const parser = formatOf(format).createParser(options);
      const deltas = [...parser.push(write('thoughts and more', thinking)), ...parser.finish()];
      return [{ name, isOff: deltas.every(({ kind }) => kind === 'content') }];
    });
    expect(found.length).toBeGreaterThan(35);
    expect(found.filter(({ isOff }) => !isOff)).toEqual([]);
  });
});

/** Returns the reply of a model that never closes its thoughts. */
function write(thoughts: string, limit: Parameters<typeof createThoughtGuide>[0]): string {
  const guide = createThoughtGuide(limit, CHARACTERS);
  let reply = '';
  const take = (tokens: number[]) => {
    for (const token of tokens) {
      guide.take(token);
      reply += CHARACTERS.nameOrText([token]);
    }
  };
  take(guide.forced());
  for (const token of CHARACTERS.tokensAmid(limit.inside ? thoughts : limit.open + thoughts)) {
    take([token]);
    take(guide.forced());
  }
  return reply;
}
