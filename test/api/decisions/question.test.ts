import { describe, expect, it } from 'vitest';
import { levelOptions, promptsOf, type StateQuestion, yesOrNo } from '../../../src/api/decisions/question.ts';

const NAMED = { id: 'team', param: 'questions.team' };
const choice = (...texts: string[]): StateQuestion => ({
  ...NAMED,
  type: 'choice',
  instructions: 'Who handles it?',
  options: texts.map((text) => ({ text, description: '' })),
});

describe('the prompts of a question', () => {
  it('begin with the state, so that all questions about it share that beginning', () => {
    const predicate: StateQuestion = { ...NAMED, type: 'predicate', instructions: 'Is it urgent?', options: yesOrNo() };
    const texts = [predicate, choice('bug', 'billing')].flatMap((question) =>
      promptsOf('Charged twice.', question).map(({ text }) => text),
    );
    for (const text of texts) expect(text).toMatch(/^Charged twice\.\n\nQuestion: /);
  });

  it('are the same for every order of the options of a choice', () => {
    const one = promptsOf('It broke.', choice('bug', 'billing', 'other'));
    const other = promptsOf('It broke.', choice('other', 'bug', 'billing'));
    expect(one.map(({ text }) => text)).toEqual(other.map(({ text }) => text));
  });

  it('show the options of a choice in both directions, so that each is as often before another one as behind it', () => {
    const [sorted, reversed] = promptsOf('It broke.', choice('bug', 'billing', 'other'));
    expect(sorted?.text).toContain('- billing\n- bug\n- other\n');
    expect(reversed?.text).toContain('- other\n- bug\n- billing\n');
    // The question lists bug, billing and other.
    expect(sorted?.read([0.1, 0.2, 0.7])).toEqual([0.2, 0.1, 0.7]);
    expect(reversed?.read([0.7, 0.2, 0.1])).toEqual([0.2, 0.1, 0.7]);
    expect(reversed?.spellings.map(([text]) => text)).toEqual(['other', 'bug', 'billing']);
  });

  it('show the levels of a score once, the lowest first', () => {
    const score: StateQuestion = {
      ...NAMED,
      type: 'score',
      instructions: '',
      options: levelOptions(['calm', '', 'furious']),
    };
    const [prompt, ...others] = promptsOf('It broke.', score);
    expect(others).toEqual([]);
    expect(prompt?.text).toContain('Question: Which level fits best?\nLevels:\n- 0: calm\n- 1\n- 2: furious\n');
    expect(prompt?.read([0.1, 0.2, 0.7])).toEqual([0.1, 0.2, 0.7]);
  });

  it('show the criteria of a predicate if it has any', () => {
    const asked = (yes?: string, no?: string) =>
      promptsOf('It broke.', { ...NAMED, type: 'predicate', instructions: 'Urgent?', options: yesOrNo(yes, no) })[0]
        ?.text;
    expect(asked()).toBe('It broke.\n\nQuestion: Urgent?\nReply with yes or no only.');
    expect(asked('It costs money', 'It can wait')).toContain('- yes: It costs money\n- no: It can wait\n');
  });

  it('spell each option in both cases, unless that is another option', () => {
    const [prompt] = promptsOf('It broke.', choice('bug', 'Other', 'other'));
    const spellings = new Map(prompt?.spellings.map((texts) => [texts[0], texts]));
    expect(spellings.get('bug')).toEqual(['bug', ' bug', 'Bug', ' Bug']);
    expect(spellings.get('Other')).toEqual(['Other', ' Other']);
    expect(spellings.get('other')).toEqual(['other', ' other']);
  });
});
