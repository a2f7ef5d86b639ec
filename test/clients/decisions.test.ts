import { TypeSafeClient } from '@typesafe-ai/sdk';
import { Ollama } from 'ollama';
import { describe, expect, it } from 'vitest';
import { API_KEY, servePaddock } from './paddock.ts';

const baseURL = (await servePaddock()).replace(/\/v1$/, '');
const state = { message: 'Charged twice. Fix it now!' };

describe("TypeSafe's client for System One", () => {
  const client = new TypeSafeClient({ apiKey: API_KEY, baseURL });

  it('asks a yes or no, a choice and a score about one state', async () => {
    const { answers, usage } = await client.systemOne({
      model: 'tiny',
      state,
      questions: {
        urgent: {
          type: 'noul',
          instructions: 'Does this need an answer today?',
          criteria: { true: 'Waiting costs money', false: 'It can wait' },
        },
        team: {
          type: 'choice',
          instructions: 'Who handles it?',
          criteria: { billing: 'Payments', bug: 'Software errors', other: null },
        },
        anger: { type: 'score', instructions: 'How angry?', criteria: ['calm', 'annoyed', 'furious'] },
      },
    });
    expect(Object.keys(answers)).toEqual(['urgent', 'team', 'anger']);
    expect(answers.urgent.noul).toBeGreaterThan(0);
    expect(answers.team.probabilities[answers.team.choice]).toBe(
      Math.max(...Object.values(answers.team.probabilities)),
    );
    expect(answers.anger.legend).toEqual({ 0: 'calm', 1: 'annoyed', 2: 'furious' });
    expect(usage.input_tokens).toBeGreaterThan(0);
  });

  it('lists the models', async () => {
    const models = await client.models.list();
    expect(models).toContainEqual({
      name: 'tiny',
      description: expect.any(String),
      release_date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    });
  });

  it('gets the reason of a refusal', async () => {
    const question = client.systemOne({
      model: 'absent',
      state,
      questions: { sure: { type: 'noul', instructions: 'Sure?' } },
    });
    await expect(question).rejects.toThrow(/absent/);
  });
});

describe('the ollama package', () => {
  it('asks System One', async () => {
    const client = new Ollama({ host: baseURL, headers: { authorization: `Bearer ${API_KEY}` } });
    const { answers } = await client.systemone({
      model: 'tiny',
      state,
      questions: { sure: { type: 'noul', instructions: 'Is somebody angry?' } },
    });
    expect(answers.sure).toEqual({ type: 'noul', noul: expect.any(Number) });
  });
});
