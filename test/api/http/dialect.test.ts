import { describe, expect, it } from 'vitest';
import { errorBody, openAiErrors } from '../../../src/api/http/dialect.ts';
import { errorReply } from '../../../src/api/http/http.ts';
import { contextLengthExceeded, modelNotFound, overloaded } from '../../../src/contract/errors.ts';

describe("an error in OpenAI's dialect", () => {
  it('has message, type, code and param, and the counts of a prompt that is too long', () => {
    expect(errorBody(modelNotFound('nope').data)).toEqual({
      error: {
        message: "The model 'nope' does not exist.",
        type: 'invalid_request_error',
        code: 'model_not_found',
        param: 'model',
      },
    });
    expect(errorBody(contextLengthExceeded(36570, 1024, 'messages').data)).toEqual({
      error: {
        message:
          "The prompt exceeds the context window: this model's maximum context length is 1024 tokens, the prompt has 36570.",
        type: 'invalid_request_error',
        code: 'context_length_exceeded',
        param: 'messages',
        n_prompt_tokens: 36570,
        n_ctx: 1024,
      },
    });
  });

  it('has its own status: a full queue is a 503', () => {
    expect(errorReply(overloaded('full', 5), openAiErrors).status).toBe(503);
  });
});
