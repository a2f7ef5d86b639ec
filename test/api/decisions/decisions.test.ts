import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import type { ModelCard } from '../../../src/contract/models/model.ts';
import type { Questions } from '../../../src/contract/questions.ts';
import { createContext, createFakeRunner, engineInfo, loadedModel, modelCard, post, readJson } from '../fixtures.ts';

type Asked = Questions['weighReplies']['question'];

/** Makes the API over a runner that gives the first option twice the weight of each other one. */
function apiOver({ slots = 4, contentFilter = [] as string[], card = {} as Partial<ModelCard> } = {}) {
  let running = 0;
  let most = 0;
  const runner = createFakeRunner(undefined, [loadedModel({ engine: { ...engineInfo, slots } })], {
    async weighReplies({ options }) {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      const total = options.length + 1;
      return { probabilities: options.map((_, index) => (index === 0 ? 2 : 1) / total), tokens: 100, cached: 90 };
    },
  });
  const { context } = createContext({ runner, contentFilter, cards: [modelCard(card)] });
  const asked = () => runner.questions.map(({ question }) => question as Asked);
  const texts = () =>
    asked().map(({ request }) => (request.prompt.kind === 'chat' ? request.prompt.messages[0]?.content : ''));
  return { api: createApi(context), asked, texts, most: () => most, record: context.record };
}

const systemOne = (questions: unknown, more: object = {}) =>
  post('/v1/systemone', { model: 'tiny', state: 'Charged twice.', questions, ...more });
const decisions = (questions: unknown, more: object = {}) =>
  post('/v1/decisions', { model: 'tiny', input: 'Charged twice.', questions, ...more });

const choice = { type: 'choice', instructions: 'Who?', criteria: { bug: 'Errors', billing: null } };
const noul = { type: 'noul', instructions: 'Is it urgent?' };
const score = { type: 'score', instructions: 'How angry?', criteria: ['calm', { text: 'furious' }] };

describe('System One', () => {
  it('answers each question under its id, with the type of the question', async () => {
    const { api } = apiOver();
    const reply = await api(systemOne({ urgent: noul, team: choice, anger: score }));
    expect(reply.status).toBe(200);
    const third = expect.closeTo(1 / 3);
    const half = expect.closeTo(0.5);
    expect(await readJson(reply)).toEqual({
      model: 'tiny',
      answers: {
        urgent: { type: 'noul', noul: expect.closeTo(2 / 3) },
        // It is the first in one order and the second in the other.
        team: { type: 'choice', choice: 'bug', probabilities: { bug: half, billing: half }, confidence: 0 },
        anger: {
          type: 'score',
          score: third,
          legend: { 0: 'calm', 1: { text: 'furious' } },
          probabilities: { 0: expect.closeTo(2 / 3), 1: third },
          confidence: expect.closeTo(1 / 3),
        },
      },
      usage: { input_tokens: 400, output_tokens: 0 },
    });
  });

  it('reads the state with the first question alone, and then as many questions at once as there are slots', async () => {
    const { api, asked, most } = apiOver({ slots: 3 });
    await api(systemOne(Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`q${index}`, noul]))));
    expect(asked()).toHaveLength(10);
    expect(most()).toBe(3);
  });

  it('writes JSON in a state, instructions and criteria in its shortest form', async () => {
    const { api, texts } = apiOver();
    const question = { type: 'noul', instructions: ['a', 1], criteria: { true: { b: 2 } } };
    await api(systemOne({ q: question }, { state: { message: 'Hi' } }));
    expect(texts()[0]).toBe(
      '{"message":"Hi"}\n\nQuestion: ["a",1]\nAnswers:\n- yes: {"b":2}\n- no\nReply with yes or no only.',
    );
  });

  it('takes names that objects of JavaScript have as ids and labels, and does not show ids to the model', async () => {
    const { api, texts } = apiOver();
    const body = `{"model":"tiny","state":"x","questions":{"__proto__":{"type":"choice","instructions":"?","criteria":{"__proto__":null,"constructor":null}}}}`;
    const { answers } = await readJson(await api(post('/v1/systemone', body)));
    expect(Object.keys(answers)).toEqual(['__proto__']);
    expect(Object.keys(Object.values<{ probabilities: object }>(answers)[0]?.probabilities ?? {})).toEqual([
      '__proto__',
      'constructor',
    ]);
    expect(texts()[0]).not.toContain('Question: __proto__');
  });

  it.each<[string, unknown, object, string]>([
    ['no questions', {}, {}, 'questions'],
    ['a list of questions', [noul], {}, 'questions'],
    ['an unknown type', { q: { type: 'box' } }, {}, 'questions.q.type'],
    ['a question that is a text', { q: 'urgent?' }, {}, 'questions.q'],
    ['a list of criteria for a choice', { q: { ...choice, criteria: ['a', 'b'] } }, {}, 'questions.q.criteria'],
    ['an object of criteria for a score', { q: { ...score, criteria: { a: null } } }, {}, 'questions.q.criteria'],
    ['one level', { q: { ...score, criteria: ['a'] } }, {}, 'questions.q.criteria'],
    ['eleven levels', { q: { ...score, criteria: Array(11).fill('a') } }, {}, 'questions.q.criteria'],
    ['a choice without labels', { q: { ...choice, criteria: {} } }, {}, 'questions.q.criteria'],
    ['an empty label', { q: { ...choice, criteria: { '': null, a: null } } }, {}, 'questions.q.criteria'],
    ['a meaning that is a number', { q: { ...choice, criteria: { a: 1 } } }, {}, 'questions.q.criteria.a'],
    ['other criteria of a noul', { q: { ...noul, criteria: { maybe: 'x' } } }, {}, 'questions.q.criteria.maybe'],
    ['a noul that asks nothing', { q: { type: 'noul' } }, {}, 'questions.q.instructions'],
    ['an empty state', { q: noul }, { state: ' ' }, 'state'],
    ['no state', { q: noul }, { state: null }, 'state'],
    ['a stream', { q: noul }, { stream: true }, 'stream'],
    ['images', { q: noul }, { images: ['data:image/png;base64,AA=='] }, 'images'],
  ])('refuses %s, and names the field', async (_, questions, more, param) => {
    const { api, asked } = apiOver();
    const reply = await api(systemOne(questions, more));
    expect(reply.status).toBe(400);
    expect((await readJson(reply)).error.param).toBe(param);
    expect(asked()).toEqual([]);
  });

  it.each([
    [64, 200],
    [65, 400],
  ])('takes %i questions: %i', async (count, status) => {
    const { api } = apiOver();
    const questions = Object.fromEntries(Array.from({ length: count }, (_, index) => [`q${index}`, noul]));
    expect((await api(systemOne(questions))).status).toBe(status);
  });

  it.each([
    [255, 200],
    [256, 400],
  ])('takes a choice of %i labels: %i', async (count, status) => {
    const { api } = apiOver();
    const criteria = Object.fromEntries(Array.from({ length: count }, (_, index) => [`label ${index}`, null]));
    expect((await api(systemOne({ q: { ...choice, criteria } }))).status).toBe(status);
  });
});

describe('decisions', () => {
  const questions = [
    { type: 'predicate', name: 'urgent', instructions: 'Is it urgent?' },
    { type: 'choice', instructions: 'Who?', choices: [{ value: 'bug', description: 'Errors' }, { value: true }] },
    { type: 'score', name: 'anger', instructions: 'How angry?', levels: [{ label: 'calm' }, { label: 'furious' }] },
  ];

  it('answer the questions in their order, by their names', async () => {
    const { api } = apiOver();
    const reply = await api(decisions(questions));
    expect(reply.status).toBe(200);
    const half = expect.closeTo(0.5);
    expect(await readJson(reply)).toEqual({
      model: 'tiny',
      answers: [
        { type: 'predicate', name: 'urgent', probability: expect.closeTo(2 / 3) },
        {
          type: 'choice',
          name: null,
          choice: 'bug',
          confidence: 0,
          probabilities: [
            { value: 'bug', probability: half },
            { value: true, probability: half },
          ],
        },
        {
          type: 'score',
          name: 'anger',
          score: expect.closeTo(1 / 3),
          confidence: expect.closeTo(1 / 3),
          probabilities: [
            { value: 0, label: 'calm', probability: expect.closeTo(2 / 3) },
            { value: 1, label: 'furious', probability: expect.closeTo(1 / 3) },
          ],
        },
      ],
      usage: {
        input_tokens: 400,
        input_tokens_details: { cached_tokens: 360, cache_write_tokens: 0 },
        output_tokens: 0,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 400,
      },
    });
  });

  it('ask the model the same as System One', async () => {
    const [one, other] = [apiOver(), apiOver()];
    await one.api(systemOne({ q: { type: 'noul', instructions: 'Is it urgent?' } }));
    await other.api(decisions([{ type: 'predicate', instructions: 'Is it urgent?' }]));
    expect(one.texts()).toEqual(other.texts());
  });

  it('read a conversation with its roles, calls and results', async () => {
    const { api, texts } = apiOver();
    const input = [
      { role: 'user', content: 'Charged twice.' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'function_call', call_id: 'c1', name: 'invoices', arguments: '{"n":2}' },
      { type: 'function_call_output', call_id: 'c1', output: '2 invoices' },
      { type: 'input_json', data: { plan: 'pro' } },
    ];
    await api(decisions(questions.slice(0, 1), { input }));
    expect(texts()[0]).toMatch(
      /^user: Charged twice\.\nassistant: I look\.\ncall of invoices: {"n":2}\nresult of invoices: 2 invoices\n{"plan":"pro"}\n\n/,
    );
  });

  const nested = (levels: number): object => (levels === 0 ? {} : { inner: nested(levels - 1) });

  it.each<[string, unknown, object, string]>([
    ['no questions', [], {}, 'questions'],
    ['no instructions', [{ type: 'predicate' }], {}, 'questions[0].instructions'],
    ['one choice', [{ type: 'choice', instructions: '?', choices: [{ value: 'a' }] }], {}, 'questions[0].choices'],
    [
      'two choices of one text',
      [{ type: 'choice', instructions: '?', choices: [{ value: 'true' }, { value: true }] }],
      {},
      'questions[0].choices[1].value',
    ],
    ['two questions of one name', [questions[0], questions[0]], {}, 'questions[1].name'],
    ['an image', questions, { input: [{ type: 'input_image', image_url: 'https://x.example/a.png' }] }, 'input[0]'],
    ['an unknown item', questions, { input: [{ type: 'video' }] }, 'input[0].type'],
    ['an empty input', questions, { input: [] }, 'input'],
    [
      'a result without a call',
      questions,
      { input: [{ type: 'function_call_output', call_id: 'c9', output: 'x' }] },
      'input[0].call_id',
    ],
    ['JSON that is too deep', questions, { input: [{ type: 'input_json', data: nested(40) }] }, 'input[0].data'],
    ['a stream', questions, { stream: true }, 'stream'],
  ])('refuse %s, and name the field', async (_, asked, more, param) => {
    const { api } = apiOver();
    const reply = await api(decisions(asked, more));
    expect(reply.status).toBe(400);
    expect((await readJson(reply)).error.param).toBe(param);
  });
});
