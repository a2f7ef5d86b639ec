import { join } from 'node:path';
import {
  getLlama,
  type Llama,
  type LlamaContext,
  LlamaGrammarEvaluationState,
  type LlamaModel,
  type Token,
} from 'node-llama-cpp';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { formatOf } from '../../src/chat/formats/index.ts';
import { createPreparer } from '../../src/chat/prepare.ts';
import type { JsonSchema } from '../../src/contract/json-schema.ts';
import {
  createMemberGrammar,
  createSchemaGrammar,
  jsonObjectGrammar,
  type MemberMarks,
  rootGrammar,
} from '../../src/grammar/schema-grammar.ts';
import { traits } from '../chat/fixtures.ts';
import { TAGGED } from '../chat/formats/invented.ts';
import { ask, chat } from '../kit/generation.ts';
import { schemaCases } from './schemas/all.ts';
import { createValidator } from './validation.ts';

const SEEDS = 10;
const MAX_TOKENS = 400;

const MARKS: MemberMarks = {
  key: '<parameter=',
  text: '>\n',
  other: () => '>\n',
  end: () => '\n</parameter>\n',
  separator: '',
};

let llama: Llama;
let model: LlamaModel;
let context: LlamaContext;
beforeAll(async () => {
  llama = await getLlama({ build: 'never', gpu: false, maxThreads: 1, progressLogs: false });
  model = await llama.loadModel({ modelPath: join(inject('modelsFolder'), 'tiny.gguf') });
  context = await model.createContext({ contextSize: 512, threads: 1 });
});
afterAll(async () => {
  await model?.dispose();
  await llama?.dispose();
});

const grammarOf = (schema: JsonSchema) => rootGrammar(createSchemaGrammar(schema, { param: 'schema' }));

/** Returns what the model writes under a grammar until it ends its turn. */
async function generate(grammarText: string, seed: number): Promise<string> {
  const grammar = await llama.createGrammar({ grammar: grammarText });
  const grammarEvaluationState = new LlamaGrammarEvaluationState({ model, grammar });
  const sequence = context.getSequence();
  const tokens: Token[] = [];
  try {
    const prompt = model.tokenize('hello');
    for await (const token of sequence.evaluate(prompt, { temperature: 1, seed, grammarEvaluationState })) {
      tokens.push(token);
      if (tokens.length > MAX_TOKENS) throw new Error(`No end after ${model.detokenize(tokens)}`);
    }
  } finally {
    sequence.dispose();
  }
  return model.detokenize(tokens);
}

describe('llama.cpp', () => {
  it.each(schemaCases)('accepts the grammar of $name', async ({ schema }) => {
    await expect(llama.createGrammar({ grammar: grammarOf(schema) })).resolves.toBeDefined();
  });

  it.each(schemaCases)('accepts the grammar of $name with marks around each member', async ({ schema }) => {
    const grammar = createMemberGrammar(schema, MARKS, { param: 'schema' });
    await expect(llama.createGrammar({ grammar: rootGrammar(grammar) })).resolves.toBeDefined();
  });

  it('writes valid calls in the text of a template, with random weights', async () => {
    const parameters = {
      type: 'object',
      properties: {
        name: { type: 'string', maxLength: 12 },
        day: { type: 'string', format: 'date' },
        age: { type: ['integer', 'null'], minimum: -20, maximum: 150 },
        color: { enum: ['red', 'green', 'grün', null] },
        tags: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 3 }, minItems: 1, maxItems: 3 },
      },
      required: ['name', 'age'],
    };
    const forced = createPreparer(traits(TAGGED))(
      ask('', {
        prompt: chat([{ role: 'user', content: 'Hello' }], {
          tools: [{ name: 'save', parameters }],
          toolChoice: { name: 'save' },
          parallelToolCalls: false,
        }),
      }),
    );
    const isValid = createValidator(parameters);
    for (let seed = 0; seed < SEEDS; seed++) {
      const text = await generate(forced.grammar ?? '', seed);
      expect(text).toMatch(/^<~deeds~>\n<~deed of="save"~>/);
      const parser = forced.format && forced.parser ? formatOf(forced.format).createParser(forced.parser) : undefined;
      const deltas = [...(parser?.push(text) ?? []), ...(parser?.finish() ?? [])];
      const json = deltas.flatMap((delta) => (delta.kind === 'toolArguments' ? [delta.text] : [])).join('');
      expect(isValid(JSON.parse(json)), text).toBe(true);
    }
  });

  it('accepts the grammar of any object', async () => {
    await expect(llama.createGrammar({ grammar: rootGrammar(jsonObjectGrammar()) })).resolves.toBeDefined();
  });

  const bounded: Record<string, JsonSchema> = {
    'an object': {
      type: 'object',
      properties: {
        name: { type: 'string', maxLength: 12 },
        age: { type: 'integer', minimum: -20, maximum: 150 },
        share: { type: 'number', minimum: 0, maximum: 1 },
        color: { enum: ['red', 'green', 'grün', null] },
        tags: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 3 }, minItems: 1, maxItems: 3 },
      },
      required: ['name', 'age', 'tags'],
      additionalProperties: false,
    },
    'one of several kinds': {
      oneOf: [
        {
          type: 'object',
          properties: { kind: { const: 'day' }, day: { type: 'string', format: 'date' } },
          required: ['kind', 'day'],
        },
        {
          type: 'object',
          properties: { kind: { const: 'id' }, id: { type: 'string', format: 'uuid' } },
          required: ['kind', 'id'],
        },
        { type: 'array', prefixItems: [{ type: 'boolean' }, { type: ['number', 'null'] }], items: false, minItems: 1 },
      ],
    },
    'a pattern': { type: 'string', pattern: '^[A-Z][a-zé"]{0,5}( \\d{1,3})?$' },
    'a text of more than one block': { type: 'string', minLength: 10, maxLength: 330 },
    'a list that holds itself': {
      type: 'object',
      properties: {
        n: { type: 'integer', minimum: 1, maximum: 12 },
        next: { anyOf: [{ type: 'null' }, { $ref: '#' }] },
      },
      required: ['n', 'next'],
    },
  };

  it.each(Object.entries(bounded))('makes the model obey the schema: %s', async (_, schema) => {
    const isValid = createValidator(schema);
    const texts = [];
    for (let seed = 1; seed <= SEEDS; seed++) {
      const text = await generate(grammarOf(schema), seed);
      texts.push(text);
      expect.soft(isValid(JSON.parse(text)), text).toBe(true);
    }
    expect(new Set(texts).size).toBeGreaterThan(2);
  });
});
