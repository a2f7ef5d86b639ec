import { describe, expect, it } from 'vitest';
import { dialectOf, errorBody, errorStatus } from '../../../src/api/http/dialect.ts';
import { bodyTooLarge, originNotAllowed } from '../../../src/api/http/refusals.ts';
import {
  contextLengthExceeded,
  insufficientMemory,
  invalidApiKey,
  invalidRequest,
  methodNotAllowed,
  modelNotFound,
  notSupportedHere,
  overloaded,
  serverError,
  shuttingDown,
} from '../../../src/contract/errors.ts';

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

  it('has its code, and the id of its request, in the words of Anthropic', () => {
    expect(errorBody(modelNotFound('nope').data, 'anthropic', 'req-7')).toEqual({
      type: 'error',
      error: {
        type: 'not_found_error',
        message: "The model 'nope' does not exist.",
        details: { error_code: 'model_not_found' },
      },
      request_id: 'req-7',
    });
    expect(errorBody(serverError().data, 'anthropic')).toMatchObject({ request_id: null });
  });

  it('says in the words of Anthropic that a prompt is too long', () => {
    expect(errorBody(overflow, 'anthropic')).toMatchObject({
      error: {
        type: 'invalid_request_error',
        message: 'prompt is too long: 36570 tokens > 1024 maximum',
        details: { error_code: 'context_length_exceeded' },
      },
    });
  });

  it.each([
    [invalidApiKey('no'), 401, 'authentication_error'],
    [originNotAllowed('https://evil.example', 'anything'), 403, 'permission_error'],
    [modelNotFound('nope'), 404, 'not_found_error'],
    [methodNotAllowed('GET', '/v1/messages', ['POST']), 405, 'invalid_request_error'],
    [bodyTooLarge(1024), 413, 'request_too_large'],
    [serverError(), 500, 'api_error'],
    [notSupportedHere('no'), 501, 'api_error'],
    [insufficientMemory('no'), 503, 'api_error'],
    [shuttingDown(), 503, 'api_error'],
    [overloaded('full', 5), 529, 'overloaded_error'],
  ])('has the status and the type of Anthropic: %s', ({ data }, status, type) => {
    expect(errorStatus(data, 'anthropic')).toBe(status);
    expect(errorBody(data, 'anthropic')).toMatchObject({ error: { type } });
  });

  it('has its own status in other words: a full queue is a 503', () => {
    for (const dialect of ['openai', 'ollama'] as const)
      expect(errorStatus(overloaded('full', 5).data, dialect)).toBe(503);
  });

  it.each(['anthropic', 'ollama'] as const)(
    'names the field in the message where %s has no other place for it',
    (dialect) => {
      const unnamed = invalidRequest("The schema's 'not' at # is not supported.", 'tools[3].input_schema').data;
      expect(JSON.stringify(errorBody(unnamed, dialect))).toContain(
        `"tools[3].input_schema: The schema's 'not' at # is not supported."`,
      );
      const named = invalidRequest('top_p must be a number.', 'top_p').data;
      expect(JSON.stringify(errorBody(named, dialect))).toContain('"top_p must be a number."');
    },
  );

  it('is one text in the words of Ollama', () => {
    expect(errorBody(modelNotFound('nope').data, 'ollama')).toEqual({ error: "The model 'nope' does not exist." });
    expect(errorBody(overflow, 'ollama')).toEqual({
      error: `${overflow.message} options.num_ctx does not widen it: on a server, --ctx-len does.`,
    });
  });
});
