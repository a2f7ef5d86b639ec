import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { EngineEvent } from '../../../src/contract/events.ts';
import type { JsonSchema } from '../../../src/contract/json-schema.ts';
import { createJournal } from '../../../src/dispatch/journal.ts';
import type { TextEngine, TextRequest } from '../../../src/engine/engine.ts';
import { loadNativeEngine } from '../../../src/engine/native/engine.ts';
import { createSchemaGrammar, rootGrammar } from '../../../src/grammar/schema-grammar.ts';
import { greedy, narrow, textRequest } from '../../kit/generation.ts';
import { silentLog } from '../../kit/log.ts';

// Tokens that are guessed or forced make a reply quicker. These tests hold the replies to those of an engine that draws every token by
// itself. The tiny model has random weights and repeats nothing, so a bias leaves it three tokens: some guesses are then right.

const SEEDED = { ...narrow, temperature: 0.4, topK: 40, seed: 5 };
/** A pattern that leaves the model no choice but between the words. */
const SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    a_long_name_that_is_forced: { enum: ['open', 'overdue'] },
    another_name: { type: 'boolean' },
    count: { const: 12_345_678 },
  },
  required: ['a_long_name_that_is_forced', 'another_name', 'count'],
  additionalProperties: false,
};
const GRAMMAR = rootGrammar(createSchemaGrammar(SCHEMA, { param: 'schema' }));

let ahead: TextEngine;
let plain: TextEngine;
beforeAll(async () => {
  const load = (oneByOne: boolean) => {
    const files = [join(inject('modelsFolder'), 'tiny.gguf')];
    const options = {
      files,
      kind: 'chat' as const,
      contextLength: 512,
      slots: 4,
      threads: 1,
      batchSize: 128,
      oneByOne,
    };
    return loadNativeEngine(options, 'cpu', silentLog);
  };
  [ahead, plain] = [await load(false), await load(true)];
});
afterAll(async () => {
  await ahead[Symbol.asyncDispose]();
  await plain[Symbol.asyncDispose]();
});

const request = (prompt: string, more: Partial<TextRequest> = {}): TextRequest =>
  textRequest(prompt, { maxTokens: 80, cachePrompt: false, journal: true, ...more });

async function say(engine: TextEngine, asked: TextRequest, onEvent: (event: EngineEvent) => void = () => {}) {
  const events: EngineEvent[] = [];
  const listen = (event: EngineEvent) => {
    events.push(event);
    onEvent(event);
  };
  await engine.generate(asked, listen, new AbortController().signal);
  const done = events.find((event) => event.kind === 'done');
  return {
    text: events.map((event) => (event.kind === 'text' && event.choice === 0 ? event.text : '')).join(''),
    tokens: events.flatMap((event) => (event.kind === 'drawn' && event.choice === 0 ? [event.token] : [])),
    logprobs: events.flatMap((event) => (event.kind === 'text' ? (event.logprobs ?? []) : [])),
    finish: events.flatMap((event) => (event.kind === 'finish' ? [[event.reason, event.stopSequence]] : [])),
    guesses: done?.kind === 'done' ? done.guesses : undefined,
    count: done?.kind === 'done' ? done.completionTokens : undefined,
  };
}

/** Both engines' replies. */
async function both(prompt: string, more: Partial<TextRequest> = {}) {
  return [await say(ahead, request(prompt, more)), await say(plain, request(prompt, more))] as const;
}

describe('a reply with guesses', () => {
  const KINDS: [string, Partial<TextRequest>][] = [
    ['greedy', { sampling: narrow }],
    ['seeded', { sampling: SEEDED }],
    ['seeded among all tokens', { sampling: { ...SEEDED, topK: 0, minP: 0.05 } }],
    ['with penalties', { sampling: { ...narrow, repeatPenalty: 1.02, frequencyPenalty: 0.01 } }],
    ['of mirostat', { sampling: { ...SEEDED, mirostat: 2, mirostatTau: 1 } }],
    ['with a grammar', { grammar: 'root ::= ("abc " | "abd ")+' }],
    ['with a grammar and a seed', { grammar: 'root ::= ("abc " | "abd ")+', sampling: SEEDED }],
    ['up to its last token', { sampling: narrow, maxTokens: 37 }],
    ['up to the end of its window', { sampling: narrow, maxTokens: null }],
  ];

  /** The guesses of the replies below. Whether a single one has some depends on the times of its passes. */
  let made = 0;

  it.each(KINDS)('is what it is without, %s', async (_, more) => {
    for (const prompt of ['one two three', 'a b a b a b a b', 'Quote this: some words and some other words.']) {
      const [guessed, drawn] = await both(prompt, more);
      made += guessed.guesses?.made ?? 0;
      expect(drawn.guesses).toBeUndefined();
      expect({ ...guessed, guesses: undefined }).toEqual(drawn);
    }
  });

  it('has had guesses', () => {
    expect(made).toBeGreaterThan(0);
  });

  it('is what it is without, beside three others', async () => {
    const prompts = ['one two three', 'a b a b a b a b', 'Quote this: some words and some other words.', 'x'];
    for (const more of [{ sampling: narrow }, { sampling: SEEDED }]) {
      const replies = await Promise.all(prompts.map((prompt) => say(ahead, request(prompt, more))));
      for (const [index, prompt] of prompts.entries())
        expect({ ...replies[index], guesses: undefined }).toEqual(await say(plain, request(prompt, more)));
    }
  });

  it('has the same log probabilities', async () => {
    const [guessed, drawn] = await both('a b', { grammar: 'root ::= ("abcd " | "bcda ")+', logprobs: 3 });
    expect(guessed.guesses?.right).toBeGreaterThan(0);
    expect(guessed.logprobs.map(({ text }) => text)).toEqual(drawn.logprobs.map(({ text }) => text));
    for (const [index, { logprob, alternatives }] of guessed.logprobs.entries()) {
      expect(logprob).toBeCloseTo(drawn.logprobs[index]?.logprob ?? 0, 3);
      expect(alternatives.map(({ text }) => text)).toEqual(drawn.logprobs[index]?.alternatives.map(({ text }) => text));
    }
  });

  it('ends at a stop sequence within a guess', async () => {
    const { text } = await say(plain, request('a b a b a b a b', { sampling: SEEDED }));
    for (const at of [40, 61, 83]) {
      const stop = [text.slice(at, at + 17)];
      const [guessed, drawn] = await both('a b a b a b a b', { stop, sampling: SEEDED });
      expect({ ...guessed, guesses: undefined }).toEqual(drawn);
      expect(drawn.finish).toEqual([['stop', stop[0]]]);
    }
  });

  it('is the same beside others, and in several choices', async () => {
    const asked = (prompt: string) => request(prompt, { sampling: narrow });
    const prompts = ['one two', 'three four', 'a b a b a b', 'five'];
    const alone = await Promise.all(prompts.map(async (prompt) => (await say(plain, asked(prompt))).tokens));
    const together = await Promise.all(prompts.map(async (prompt) => (await say(ahead, asked(prompt))).tokens));
    expect(together).toEqual(alone);
    const [guessed, drawn] = await both('one two three', { choices: 3, sampling: SEEDED });
    expect({ ...guessed, guesses: undefined }).toEqual({ ...drawn, logprobs: guessed.logprobs });
  });

  it('leaves a cache that the next turn can go on from', async () => {
    const first = request('one two three', { cachePrompt: true, sampling: narrow });
    for (const engine of [ahead, plain]) await say(engine, first);
    const { text } = await say(plain, first);
    const next = request(`one two three${text.slice(0, 60)} and then`, { cachePrompt: true, sampling: narrow });
    expect((await say(ahead, next)).tokens).toEqual((await say(plain, { ...next, cachePrompt: false })).tokens);
  });
});

describe('a reply with forced tokens', () => {
  it('keeps to its schema, and ends without a draw for its end', async () => {
    const { text, finish, count, tokens } = await say(ahead, request('a b', { grammar: GRAMMAR }));
    expect(Object.keys(JSON.parse(text))).toEqual(['a_long_name_that_is_forced', 'another_name', 'count']);
    expect(JSON.parse(text)).toMatchObject({ count: 12_345_678 });
    expect(finish).toEqual([['stop', undefined]]);
    expect(count).toBe(tokens.length);
  });

  it('is the same text as without where the model has no choice at all', async () => {
    const grammar = rootGrammar(
      createSchemaGrammar({ const: { key: ['some', 'words', 1, true] } }, { param: 'schema' }),
    ).replaceAll('" "?', '" "');
    const [forced, drawn] = await both('a b', { grammar });
    expect([forced.text, forced.finish]).toEqual([drawn.text, drawn.finish]);
    const limited = await both('a b', { grammar, maxTokens: 3 });
    expect(limited.map(({ finish, count }) => [finish, count])).toEqual([
      [[['length', undefined]], 3],
      [[['length', undefined]], 3],
    ]);
  });

  it('draws each token where the request names a seed, or asks for probabilities', async () => {
    const seeded = await both('a b', { grammar: GRAMMAR, sampling: { ...greedy, temperature: 1, topK: 40, seed: 5 } });
    expect(seeded[0].tokens).toEqual(seeded[1].tokens);
    const [likely, drawn] = await both('a b', { grammar: GRAMMAR, logprobs: 1 });
    expect(likely.tokens).toEqual(drawn.tokens);
    expect(likely.logprobs.length).toBe(drawn.logprobs.length);
  });

  it('ends at its limit, however much its schema forces', async () => {
    const schema: JsonSchema = { type: 'array', items: { const: 'again' }, minItems: 1000, maxItems: 1000 };
    const grammar = rootGrammar(createSchemaGrammar(schema, { param: 'schema' })).replaceAll('" "?', '');
    const { text, finish, count } = await say(ahead, request('a b', { grammar, maxTokens: 400 }));
    expect(text).toMatch(/^\["again",("again",)+/);
    expect([finish, count]).toEqual([[['length', undefined]], 400]);
  });

  it('stops within them', async () => {
    const { text, finish } = await say(ahead, request('a b', { grammar: GRAMMAR, stop: ['name_that'] }));
    expect([text, finish]).toEqual(['{"a_long_', [['stop', 'name_that']]]);
  });
});

describe('a reply that another engine takes up', () => {
  it.each([
    ['greedy', { sampling: narrow }],
    ['seeded', { sampling: SEEDED }],
    ['with a schema', { grammar: GRAMMAR }],
    ['with a schema and a seed', { grammar: GRAMMAR, sampling: SEEDED }],
  ] as [string, Partial<TextRequest>][])(
    'goes on as it would have gone on, wherever the first one died, %s',
    async (_, more) => {
      const asked = request('a b a b a b', more);
      const whole = await say(ahead, asked);
      const deaths = more.grammar ? [1, 5, 9, 14] : [1, 20, 33, 56];
      for (const death of deaths) {
        const journal = createJournal(1);
        let alive = true;
        let said = '';
        const told = (event: EngineEvent) => {
          if (event.kind === 'text') said += event.text;
        };
        // What the first engine says after its death reaches nobody.
        await say(ahead, journal.resumed(asked), (event) => {
          if (!alive) return;
          journal.note(event);
          for (const heard of journal.toTell(event)) told(heard);
          // A message has all events of a step.
          if (journal.tokens >= death) queueMicrotask(() => (alive = false));
        });
        const second = await say(ahead, journal.resumed(asked), (event) => {
          for (const heard of journal.toTell(event)) told(heard);
        });
        expect(said).toBe(whole.text);
        expect(second.finish).toEqual(whole.finish);
      }
    },
  );
});
