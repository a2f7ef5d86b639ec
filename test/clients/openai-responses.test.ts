import OpenAI, { BadRequestError } from 'openai';
import { describe, expect, it } from 'vitest';
import { API_KEY, servePaddock } from './paddock.ts';

const baseURL = await servePaddock();
const { responses } = new OpenAI({ baseURL, apiKey: API_KEY, maxRetries: 0 });
const question = { model: 'tiny', input: 'hello', temperature: 0, max_output_tokens: 16 };

describe('the responses of the openai client', () => {
  it('counts the tokens of an input as the response itself counts them', async () => {
    const body = {
      model: 'tiny',
      instructions: 'Be brief.',
      input: [
        { role: 'developer' as const, content: 'Rhyme.' },
        { role: 'user' as const, content: [{ type: 'input_text' as const, text: 'hello' }] },
      ],
      tools: [{ type: 'function' as const, name: 'now', parameters: null, strict: null }],
    };
    const { usage } = await responses.create({ ...body, max_output_tokens: 4 });
    expect(await responses.inputTokens.count(body)).toEqual({
      object: 'response.input_tokens',
      input_tokens: usage?.input_tokens,
    });
  });

  it('have log probabilities on demand', async () => {
    const body = { ...question, include: ['message.output_text.logprobs' as const], top_logprobs: 2 };
    const [message] = (await responses.create(body)).output;
    const [part] = message?.type === 'message' ? message.content : [];
    const logprobs = part?.type === 'output_text' ? (part.logprobs ?? []) : [];
    expect(logprobs.length).toBeGreaterThan(0);
    for (const { token, logprob, top_logprobs } of logprobs) {
      expect(token).not.toBe('');
      expect(logprob).toBeLessThanOrEqual(0);
      expect(top_logprobs).toHaveLength(2);
    }
  });

  it('end early when the client leaves, and the next one is answered', async () => {
    const stream = await responses.create({ ...question, max_output_tokens: 900, stream: true });
    for await (const event of stream) if (event.type === 'response.output_text.delta') break;
    expect((await responses.create(question)).output_text).not.toBe('');
  });

  it('are refused in the words of the client for a wrong field', async () => {
    const wrong = responses.create({
      ...question,
      input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }],
    });
    await expect(wrong).rejects.toBeInstanceOf(BadRequestError);
    await expect(wrong).rejects.toMatchObject({ code: 'unsupported_parameter', param: 'input[0].content[0]' });
  });
});
