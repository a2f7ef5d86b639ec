import { describe, expect, it } from 'vitest';
import { modelPrompts } from '../../../src/api/decisions/model-prompts.ts';
import { levelOptions, type QuestionPrompt, type StateQuestion, yesOrNo } from '../../../src/api/decisions/question.ts';
import type { DecisionModel } from '../../../src/contract/models/model.ts';

const state = { z: 1, a: [{ y: 2, b: 3 }] };
const team: StateQuestion = {
  id: 'team',
  param: 'questions.team',
  type: 'choice',
  instructions: 'Who?',
  options: [
    { text: 'bug', description: null },
    { text: 'billing', description: { pays: true } },
    { text: 'other', description: 'All else' },
  ],
};
const urgent: StateQuestion = {
  id: 'urgent',
  param: 'questions.urgent',
  type: 'predicate',
  instructions: null,
  options: yesOrNo('Now'),
};

const model = (type: DecisionModel['type'], temperatures = {}): DecisionModel => ({ type, temperatures });
const asked = (question: StateQuestion) => ({ state, questions: [question] });
const valuesOf = ({ prompt }: QuestionPrompt): Record<string, unknown> =>
  prompt.kind === 'decision' ? { ...prompt.values } : {};
const one = (type: DecisionModel['type'], question: StateQuestion, temperatures = {}) => {
  const [prompt, ...others] = modelPrompts(model(type, temperatures), asked(question), question);
  expect(others).toEqual([]);
  if (!prompt) throw new Error('there is no prompt');
  return prompt;
};

describe('the prompt of a decision model', () => {
  it('has the variables that the template of the model gets from llama-server', () => {
    expect(valuesOf(one('openjev', team))).toEqual({
      id: 'team',
      type: 'choice',
      instructions: 'Who?',
      state,
      images: [],
      options: [
        { key: 'bug', description: null },
        { key: 'billing', description: { pays: true } },
        { key: 'other', description: 'All else' },
      ],
    });
  });

  it.each([
    ['openjev', ['true', 'false'], [undefined, undefined]],
    ['nimble', ['false', 'true'], ['A', 'B']],
  ] as const)('lists yes and no in the order of %s, with its labels', (type, keys, labels) => {
    const options = valuesOf(one(type, urgent)).options as { key: string; label?: string }[];
    expect(options.map(({ key }) => key)).toEqual(keys);
    expect(options.map(({ label }) => label)).toEqual(labels);
  });

  it('lists all questions of the request for nimble', () => {
    const [prompt] = modelPrompts(model('nimble'), { state, questions: [team, urgent] }, urgent);
    const { questions } = valuesOf(prompt as QuestionPrompt);
    expect(questions).toMatchObject([
      { id: 'team', type: 'choice' },
      { id: 'urgent', type: 'noul' },
    ]);
  });

  it('has sorted keys for lev, at any depth', () => {
    const text = JSON.stringify(valuesOf(modelPrompts(model('lev'), asked(team), team)[0] as QuestionPrompt));
    expect(text).toContain('"state":{"a":[{"b":3,"y":2}],"z":1}');
    expect(text.startsWith('{"id"')).toBe(true);
  });

  it('has one answer for each option, its label', () => {
    expect(one('openjev', team).spellings).toEqual([['A'], ['B'], ['C']]);
  });

  it.each<[DecisionModel['type'], number]>([
    ['openjev', 52],
    ['pplx-decider', 26],
  ])('is refused if %s has too few labels', (type, most) => {
    const wide = (count: number): StateQuestion => ({
      ...team,
      options: Array.from({ length: count }, (_, index) => ({ text: `o${index}`, description: null })),
    });
    expect(one(type, wide(most)).spellings).toHaveLength(most);
    expect(() => modelPrompts(model(type), asked(wide(most + 1)), wide(most + 1))).toThrow(
      `questions.team has ${most + 1} options; this model takes at most ${most}.`,
    );
  });
});

describe('the answer of a decision model', () => {
  it('is in the order of the question', () => {
    expect(one('openjev', urgent).read([0.7, 0.3])).toEqual([0.7, 0.3]);
    expect(one('nimble', urgent).read([0.7, 0.3])).toEqual([0.3, 0.7]);
  });

  it('is read from two orders of a choice for lev', () => {
    const [first, second] = modelPrompts(model('lev'), asked(team), team);
    expect(first?.read([0.5, 0.3, 0.2])).toEqual([0.5, 0.3, 0.2]);
    expect(second?.read([0.5, 0.3, 0.2])).toEqual([0.2, 0.3, 0.5]);
    expect((valuesOf(second as QuestionPrompt).options as { key: string }[]).map(({ key }) => key)).toEqual([
      'other',
      'billing',
      'bug',
    ]);
  });

  it('is the expected rating for a yes or no of lev', () => {
    const prompt = one('lev', urgent);
    expect(prompt.spellings).toHaveLength(9);
    const [yes, no] = prompt.read([0, 0, 0, 0, 0.5, 0, 0, 0, 0.5]);
    expect(yes).toBeCloseTo(0.75);
    expect(no).toBeCloseTo(0.25);
  });

  it.each<[string, DecisionModel['type'], StateQuestion, Record<string, number>]>([
    ['the type of the question', 'openjev', team, { choice: 2 }],
    ['the number of its options', 'openjev', team, { choice: 9, 'choice.3_5': 2, 'choice.2': 8 }],
    [
      'a small number of options of lev',
      'lev',
      { ...team, type: 'score', options: levelOptions(['a', 'b', 'c']) },
      { 'score.small': 2 },
    ],
  ])('is sharpened by the temperature of %s', (_, type, question, temperatures) => {
    const [first = 0, second = 0, third = 0] = one(type, question, temperatures).read([0.9, 0.1, 0]);
    // The logits differ by ln 9, and by half of that at a temperature of 2.
    expect(first / second).toBeCloseTo(3);
    expect(third).toBe(0);
  });
});
