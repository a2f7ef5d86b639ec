import { describe, expect, it } from 'vitest';
import { errorReply } from '../../../src/api/http/http.ts';
import { bodyTooLarge, originNotAllowed } from '../../../src/api/http/refusals.ts';
import { anthropicErrors } from '../../../src/api/messages/errors.ts';
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

describe("an error in Anthropic's dialect", () => {
  it('has its code, and the id of its request', () => {
    expect(anthropicErrors.body(modelNotFound('nope').data, 'req-7')).toEqual({
      type: 'error',
      error: {
        type: 'not_found_error',
        message: "The model 'nope' does not exist.",
        details: { error_code: 'model_not_found' },
      },
      request_id: 'req-7',
    });
    expect(anthropicErrors.body(serverError().data, null)).toMatchObject({ request_id: null });
  });

  it('says in the words of Anthropic that a prompt is too long', () => {
    expect(anthropicErrors.body(contextLengthExceeded(36570, 1024, 'messages').data, null)).toMatchObject({
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
  ])('has the status and the type of Anthropic: %s', (error, status, type) => {
    const reply = errorReply(error, anthropicErrors);
    expect(reply.status).toBe(status);
    expect(JSON.parse(String(reply.body))).toMatchObject({ error: { type } });
  });

  it('names the field in the message, once', () => {
    const messageOf = (message: string, param: string) =>
      JSON.stringify(anthropicErrors.body(invalidRequest(message, param).data, null));
    expect(messageOf("The schema's 'not' at # is not supported.", 'tools[3].input_schema')).toContain(
      `"tools[3].input_schema: The schema's 'not' at # is not supported."`,
    );
    expect(messageOf('top_p must be a number.', 'top_p')).toContain('"top_p must be a number."');
  });
});
