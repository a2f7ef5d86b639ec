import type { Dice } from '../../kit/dice.ts';

/** A request that gets the same reply each time. */
export interface Question {
  path: string;
  body: { model: string } & Record<string, unknown>;
}

const WORDS = [
  'why',
  'the world',
  'hello',
  '漢字',
  'naïve',
  '😀',
  'once upon a time',
  '{"a": 1}',
  'tell me more',
  '\n\n',
];

const WEATHER = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'The weather of a place.',
    parameters: {
      type: 'object',
      properties: { place: { type: 'string', maxLength: 12 }, days: { type: 'integer', minimum: 1, maximum: 9 } },
      required: ['place', 'days'],
    },
  },
};

const SCHEMA = {
  type: 'object',
  properties: { name: { type: 'string', maxLength: 40 }, size: { enum: ['small', 'large'] }, on: { type: 'boolean' } },
  required: ['name', 'size', 'on'],
};

/** Makes questions to the test models and to the built-in model, greedy or with a seed. */
export function makeQuestions(dice: Dice, count: number): Question[] {
  return Array.from({ length: count }, () => dice.weighted(KINDS).make(dice));
}

/** Returns a greedy question to a model that may be replaced at any time. */
export function questionFor(model: string): Question {
  return chat(model, 'What are you made of?', { max_tokens: 120 });
}

const KINDS: { weight: number; make: (dice: Dice) => Question }[] = [
  { weight: 8, make: (dice) => chat('tiny', say(dice), { max_tokens: tokens(dice) }) },
  { weight: 3, make: (dice) => chat('shelf/brief', say(dice)) },
  {
    weight: 3,
    make: (dice) => chat('pico', dice.pick(['Hello!', 'Who are you?', 'What can you do?', 'Thanks a lot.'])),
  },
  {
    weight: 3,
    make: (dice) => chat('tiny', say(dice), { max_tokens: tokens(dice), temperature: 0.9, seed: dice.below(9) }),
  },
  { weight: 2, make: (dice) => chat('tiny', say(dice), { max_tokens: 60, n: 2, temperature: 0.8, seed: 5 }) },
  {
    weight: 2,
    make: (dice) => chat('tiny', say(dice), { max_tokens: 300, stop: ['zz', ' the a'], repeat_penalty: 1.2 }),
  },
  {
    weight: 2,
    make: (dice) => chat('tiny', say(dice), { max_tokens: 400, tools: [WEATHER], tool_choice: 'required' }),
  },
  { weight: 2, make: (dice) => chat('tiny', say(dice), { max_tokens: 400, response_format: schemaFormat() }) },
  { weight: 1, make: (dice) => chat('tiny', say(dice), { max_tokens: 40, logprobs: true, top_logprobs: 2 }) },
  {
    weight: 2,
    make: (dice) => ({
      path: '/v1/completions',
      body: { model: 'tiny', prompt: say(dice), max_tokens: 80, temperature: 0 },
    }),
  },
];

function chat(model: string, content: string, more: Record<string, unknown> = {}): Question {
  return {
    path: '/v1/chat/completions',
    body: { model, messages: [{ role: 'user', content }], temperature: 0, ...more },
  };
}

function say(dice: Dice): string {
  return Array.from({ length: 1 + dice.below(30) }, () => dice.pick(WORDS)).join(' ');
}

/** Returns a length in tokens: mostly short, sometimes seconds long. */
function tokens(dice: Dice): number {
  return dice.chance(0.3) ? 300 + dice.below(300) : 10 + dice.below(150);
}

function schemaFormat(): object {
  return { type: 'json_schema', json_schema: { name: 'thing', schema: SCHEMA } };
}
