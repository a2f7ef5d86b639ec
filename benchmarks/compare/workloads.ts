import { makeRandom, type Random } from '../../test/kit/random.ts';

/** A request of a workload. */
export interface Ask {
  /** The time to send it, in ms after the beginning of the round. */
  afterMs: number;
  /** The user messages. Only the last turn is measured; the turns before it are the history. */
  turns: string[];
  system?: string;
  maxTokens: number;
  /** More fields of the request body, such as `tools`. */
  fields: Record<string, unknown>;
}

export interface Workload {
  /** A description in one sentence, for the docs. */
  about: string;
  /** The numbers of streams without `--streams`. */
  streams: number[];
  /** True if `--streams` does not apply, because the number of streams is a part of the workload. */
  fixed?: true;
  /** Makes the requests of one round. All endpoints get the same requests in a round. */
  asks(streams: number, round: number): Ask[];
}

const WORDS = (
  'a the river stone bird wind small great walks sings over under near far old new bright dark house tree ' +
  'seven green light water night winter letter garden window morning'
).split(' ');

const city = {
  type: 'object',
  properties: {
    kind: { enum: ['village', 'town', 'city', 'capital'] },
    population: { type: 'integer', minimum: 0, maximum: 99_999_999 },
    by_the_sea: { type: 'boolean' },
    first_impression: { type: 'string', maxLength: 40 },
    most_important_industry: { enum: ['fishing', 'farming', 'trade', 'mining', 'tourism'] },
    neighbouring_countries: { type: 'integer', minimum: 0, maximum: 9 },
  },
  required: [
    'kind',
    'population',
    'by_the_sea',
    'first_impression',
    'most_important_industry',
    'neighbouring_countries',
  ],
  additionalProperties: false,
};

/**
 * The passage of `quote`, in which every character is different. The model `quoting` repeats it, and then writes as
 * many new words.
 */
export const PASSAGE = 'QZXWVKJYUPGBFMDCNRSTLHOAEI?!;:,.-+*/=<>()[]{}%$#@^&_~|0918273645';

export const WORKLOADS: Record<string, Workload> = {
  short: {
    about: 'a prompt of 20 words, 64 tokens of reply',
    streams: [1, 4, 8, 16, 64],
    asks: (streams, round) => each(streams, round, 1, (random) => ask([prose(20, random)], 64)),
  },
  long: {
    about: 'a prompt of 20 words, 384 tokens of reply',
    streams: [1, 4],
    asks: (streams, round) => each(streams, round, 11, (random) => ask([prose(20, random)], 384)),
  },
  prompt: {
    about: 'a prompt of about 1,000 tokens, 32 tokens of reply',
    streams: [1, 4],
    asks: (streams, round) => each(streams, round, 2, (random) => ask([prose(240, random)], 32)),
  },
  agent: {
    about: 'a prompt of about 4,000 tokens, as coding agents send them, 16 tokens of reply',
    streams: [1],
    asks: (streams, round) => each(streams, round, 10, (random) => ask([prose(960, random)], 16)),
  },
  shared: {
    about: 'one system prompt of about 1,000 tokens, with a question of 4 words each and 16 tokens of reply',
    streams: [1, 16],
    asks: (streams, round) => {
      // Each number of streams has another prompt, so that even its first stream finds nothing cached.
      const system = prose(240, makeRandom(8 * 1_000_003 + round * 1009 + streams));
      return each(streams, round, 9, (random) => ({ ...ask([prose(4, random)], 16), system }));
    },
  },
  chat: {
    about: 'the second turn of a chat: only the new question has to be read',
    streams: [1, 4],
    asks: (streams, round) => each(streams, round, 3, (random) => ask([prose(150, random), prose(12, random)], 48)),
  },
  schema: {
    about: 'a reply in the form of a JSON schema with six properties',
    streams: [1, 4],
    asks: (streams, round) =>
      each(streams, round, 4, (random) =>
        ask([prose(20, random)], 160, {
          response_format: { type: 'json_schema', json_schema: { name: 'city', strict: true, schema: city } },
        }),
      ),
  },
  tool: {
    about: 'a call of a function that must be called',
    streams: [1, 4],
    asks: (streams, round) =>
      each(streams, round, 5, (random) =>
        ask([prose(20, random)], 160, {
          tools: [
            { type: 'function', function: { name: 'save_city', description: 'Saves a city.', parameters: city } },
          ],
          tool_choice: 'required',
        }),
      ),
  },
  quote: {
    about: 'a passage of 64 tokens is quoted, and 64 new tokens follow, at temperature 0',
    streams: [1],
    asks: (streams, round) =>
      each(streams, round, 6, (random) =>
        ask([`${prose(20, random)}\n${PASSAGE}\n${prose(20, random)}`], 128, { temperature: 0 }),
      ),
  },
  mixed: {
    about:
      'sixteen requests that come one after another, with prompts of 10 to 200 words and replies of 16 to 128 tokens',
    streams: [16],
    fixed: true,
    asks: (streams, round) => {
      let at = 0;
      return each(streams, round, 7, (random) => {
        at += between(random, 50, 650);
        return { ...ask([prose(between(random, 10, 200), random)], between(random, 16, 128)), afterMs: at };
      });
    },
  },
};

/**
 * Makes the request of each stream with its own random numbers. No prompt is repeated in another round or with more
 * streams.
 */
function each(streams: number, round: number, salt: number, make: (random: Random) => Ask): Ask[] {
  return Array.from({ length: streams }, (_, stream) => {
    const made = make(makeRandom(salt * 1_000_003 + round * 10_007 + streams * 101 + stream));
    return { ...made, fields: { temperature: 0.7, seed: round * 100 + stream + 1, ...made.fields } };
  });
}

function ask(turns: string[], maxTokens: number, fields: Record<string, unknown> = {}): Ask {
  return { afterMs: 0, turns, maxTokens, fields };
}

function prose(words: number, random: Random): string {
  return Array.from({ length: words }, () => WORDS[random() % WORDS.length]).join(' ');
}

function between(random: Random, least: number, most: number): number {
  return least + (random() % (most - least + 1));
}
