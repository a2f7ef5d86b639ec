import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../../src/contract/json-schema.ts';
import { createGuide, type Guide } from '../../../../src/engine/native/draw/guide.ts';
import type { LlamaModel } from '../../../../src/engine/native/llama/model.ts';
import type { Token } from '../../../../src/engine/native/llama/tokens/token.ts';
import { createVocabulary, type Vocabulary } from '../../../../src/engine/native/llama/tokens/vocabulary.ts';
import { createSchemaGrammar, rootGrammar } from '../../../../src/grammar/schema-grammar.ts';
import { schemaCases } from '../../../grammar/schemas/all.ts';
import { openNativeModel } from '../../../kit/native-model.ts';

const grammarOf = (schema: JsonSchema) => rootGrammar(createSchemaGrammar(schema, { param: 'schema' }));

const PERSON = {
  type: 'object',
  properties: {
    shipping_address: { type: 'string' },
    count: { type: 'integer' },
    state: { enum: ['delivered', 'overdue'] },
  },
  required: ['shipping_address', 'count', 'state'],
  additionalProperties: false,
} as const;

let model: LlamaModel;
let vocabulary: Vocabulary;
beforeAll(async () => {
  model = await openNativeModel('models/pico/pico.gguf');
  vocabulary = createVocabulary(model);
});
afterAll(() => model.close());

const textOf = (tokens: Token[]) => vocabulary.nameOrText(tokens, []);

/** A guide of a reply that has begun with this text, cut as the tokenizer cuts it. */
function guideAfter(grammar: string, text: string, mayWrite: (token: Token) => boolean = () => true): Guide {
  const [last] = vocabulary.tokensAmid('\n').slice(-1);
  const guide = createGuide(grammar, last, { ...vocabulary, mayWrite });
  if (!guide) throw new Error('The grammar was not followed');
  for (const token of vocabulary.tokensAmid(text)) guide.take(token);
  return guide;
}

describe('the forced tokens of a reply', () => {
  it('spell what can come in only one way, up to where other tokens are possible', () => {
    const forced = textOf(guideAfter(grammarOf(PERSON), '').forced());
    expect('{"shipping_address":'.startsWith(forced)).toBe(true);
    expect(forced).toContain('address');
  });

  it('are those of the tokenizer, whatever follows', () => {
    const texts = [
      '{"shipping_address": "Main Street 1", "count": 12, "state": "overdue"}',
      '{"shipping_address":"","count":-3,"state":"delivered"}',
      '{"shipping_address": "[a]", "count":0, "state": "delivered"}',
    ];
    for (const text of texts) {
      const tokens = vocabulary.tokensAmid(text);
      const guide = guideAfter(grammarOf(PERSON), '');
      let count = 0;
      for (let at = 0; at < tokens.length; at++) {
        const forced = guide.forced();
        expect(tokens.slice(at, at + forced.length)).toEqual(forced);
        count += forced.length > 0 ? 1 : 0;
        guide.take(tokens[at] as Token);
      }
      expect(count).toBeGreaterThan(5);
      expect(guide.complete).toBe(true);
    }
  });

  it('are never a special token that the reply must not have', () => {
    const schema = { const: '<|im_end|>' };
    const isPlain = (token: Token) => !vocabulary.specialTokens(['<|im_end|>']).has(token);
    expect(guideAfter(grammarOf(schema), '', isPlain).forced()).toEqual([]);
    expect(textOf(guideAfter(grammarOf(schema), '').forced())).toBe('"<|im_end|>"');
  });

  it('are none once the guide has been given up, and none are likely', () => {
    const guide = guideAfter(grammarOf(PERSON), '');
    expect([guide.forced().length > 0, guide.likely().length > 0]).toEqual([true, true]);
    guide.giveUp();
    expect([guide.forced(), guide.likely(), guide.complete]).toEqual([[], [], false]);
  });

  it('are none inside a string and none where the text may end', () => {
    expect(guideAfter(grammarOf(PERSON), '{"shipping_address": "Main').forced()).toEqual([]);
    expect(guideAfter('root ::= "a" "b"*', 'a').forced()).toEqual([]);
  });

  it('are none for a grammar that is not followed', () => {
    expect(createGuide('root ::= <[1]>', undefined, { ...vocabulary, mayWrite: () => true })).toBeUndefined();
    const long = `root ::= "${'a'.repeat(100_001)}"`;
    expect(createGuide(long, undefined, { ...vocabulary, mayWrite: () => true })).toBeUndefined();
  });

  it.each(schemaCases)('belong to the grammar of $name', ({ schema, writes = [] }) => {
    const texts = writes.map((value) => JSON.stringify(value)).filter(({ length }) => length < 150);
    for (const text of texts) {
      const guide = guideAfter(grammarOf(schema), '');
      const tokens = vocabulary.tokensAmid(text);
      for (const [at, token] of tokens.entries()) {
        const forced = guide.forced();
        if (forced.length > 0) expect(text.startsWith(textOf([...tokens.slice(0, at), ...forced])), text).toBe(true);
        guide.take(token);
      }
    }
  });
});

describe('the likely tokens of a reply', () => {
  it('go on behind a colon and a comma as JSON is mostly written', () => {
    expect(textOf(guideAfter(grammarOf(PERSON), '{"shipping_address": "Main",').likely())).toBe(' "count": ');
  });

  it('go on as the reply has done it', () => {
    expect(textOf(guideAfter(grammarOf(PERSON), '{"shipping_address":"Main"').likely())).toBe(', "count":');
    expect(textOf(guideAfter(grammarOf(PERSON), '{"shipping_address":"Main","count":1').likely())).toBe('');
    expect(textOf(guideAfter(grammarOf(PERSON), '{"shipping_address":"Main","count":1,').likely())).toBe('"state":"');
  });
});
