import { describe, expect, it } from 'vitest';
import { errorReply } from '../../../src/api/http/http.ts';
import { ollamaErrors } from '../../../src/api/ollama/errors.ts';
import { contextLengthExceeded, invalidRequest, modelNotFound, overloaded } from '../../../src/contract/errors.ts';

describe("an error in Ollama's dialect", () => {
  it('is one text, which tells of a prompt that is too long how to widen the window', () => {
    const overflow = contextLengthExceeded(36570, 1024, 'messages').data;
    expect(ollamaErrors.body(modelNotFound('nope').data, 'req-7')).toEqual({
      error: "The model 'nope' does not exist.",
    });
    expect(ollamaErrors.body(overflow, 'req-7')).toEqual({
      error: `${overflow.message} options.num_ctx does not widen it: on a server, --ctx-len does.`,
    });
  });

  it('names the field in the message, once', () => {
    const unnamed = invalidRequest("The schema's 'not' at # is not supported.", 'tools[3].input_schema').data;
    expect(ollamaErrors.body(unnamed, null)).toEqual({
      error: "tools[3].input_schema: The schema's 'not' at # is not supported.",
    });
    expect(ollamaErrors.body(invalidRequest('top_p must be a number.', 'top_p').data, null)).toEqual({
      error: 'top_p must be a number.',
    });
  });

  it('has its own status: a full queue is a 503', () => {
    expect(errorReply(overloaded('full', 5), ollamaErrors).status).toBe(503);
  });
});
