import { describe, expect, it } from 'vitest';
import { dialectOf, errorBody } from '../../../../src/core/api/http/dialect.ts';
import { contextLengthExceeded, modelNotFound } from '../../../../src/core/errors.ts';

describe('the dialect of a path', () => {
  it.each([
    ['/v1/chat/completions', 'openai'],
    ['/v1/messages', 'anthropic'],
    ['/v1/messages/count_tokens', 'anthropic'],
    ['/messages', 'anthropic'],
    ['/v1/messages-of-others', 'openai'],
    ['/api/chat', 'ollama'],
    ['/health', 'openai'],
  ])('of %s is %s', (path, dialect) => {
    expect(dialectOf(path)).toBe(dialect);
  });
});

describe('an error', () => {
  const overflow = contextLengthExceeded(36570, 1024, 'messages').data;

  it('has message, type, code and param in the words of OpenAI, and the counts of a prompt that is too long', () => {
    expect(errorBody(modelNotFound('nope').data)).toEqual({
      error: {
        message: "The model 'nope' does not exist.",
        type: 'invalid_request_error',
        code: 'model_not_found',
        param: 'model',
      },
    });
    expect(errorBody(overflow)).toEqual({
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

  it('has the type of its status in the words of Anthropic', () => {
    expect(errorBody(modelNotFound('nope').data, 'anthropic')).toEqual({
      type: 'error',
      error: { type: 'not_found_error', message: "The model 'nope' does not exist." },
    });
    expect(errorBody(overflow, 'anthropic')).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 36570 tokens > 1024 maximum' },
    });
  });

  it('is one text in the words of Ollama', () => {
    expect(errorBody(modelNotFound('nope').data, 'ollama')).toEqual({ error: "The model 'nope' does not exist." });
    expect(errorBody(overflow, 'ollama')).toEqual({
      error: `${overflow.message} options.num_ctx does not widen it: on a server, --ctx-len does.`,
    });
  });
});
