import type * as OpenAI from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import type { NumberedEvent, OutputItem, ResponseObject } from '../../../src/api/responses/objects.ts';
import { responseObject } from './fixtures.ts';

/**
 * OpenAI's response, as servers send it: its client adds `output_text`. Tools come back as the client sent them, and errors have
 * codes of this server's own too.
 */
type SentResponse = Omit<OpenAI.Response, 'output_text' | 'tools' | 'error' | 'text'> & {
  tools: object[];
  error: { code: string; message: string } | null;
  text: { format: { type: string } };
};

type Sent<E> = E extends { response: OpenAI.Response } ? Omit<E, 'response'> & { response: SentResponse } : E;

describe('what a stream says', () => {
  it("has the types of OpenAI's own client, with every field that those require", () => {
    const event = (said: NumberedEvent): Sent<OpenAI.ResponseStreamEvent> => said;
    const response = (said: ResponseObject): SentResponse => said;
    const item = (said: OutputItem): OpenAI.ResponseOutputItem => said;
    // The compiler has checked the three functions.
    const whole = responseObject();
    expect(response(whole)).toBe(whole);
    expect(whole.output.map(item)).toEqual(whole.output);
    expect(event({ type: 'response.created', response: whole, sequence_number: 0 }).type).toBe('response.created');
  });
});
