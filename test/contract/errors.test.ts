import { describe, expect, it } from 'vitest';
import { errorBody } from '../../src/api/http/dialect.ts';
import { errorReply } from '../../src/api/http/http.ts';
import {
  ApiError,
  builtInModel,
  insufficientMemory,
  invalidApiKey,
  invalidRequest,
  methodNotAllowed,
  modelNotFound,
  overloaded,
  pathNotFound,
  serverError,
  toErrorData,
  unsupportedParameter,
} from '../../src/contract/errors.ts';

const ERRORS: [condition: string, error: ApiError, status: number, type: string, code: string | null][] = [
  ['the model does not exist', modelNotFound('org/nope'), 404, 'invalid_request_error', 'model_not_found'],
  ['the key is invalid', invalidApiKey('no'), 401, 'authentication_error', 'invalid_api_key'],
  ['the request is malformed', invalidRequest('no', 'top_p'), 400, 'invalid_request_error', 'invalid_request'],
  [
    'a parameter is not supported',
    unsupportedParameter('n', 'no'),
    400,
    'invalid_request_error',
    'unsupported_parameter',
  ],
  ['the model has to stay', builtInModel('pico'), 400, 'invalid_request_error', 'built_in_model'],
  ['the path is unknown', pathNotFound('GET', '/v2'), 404, 'not_found', 'not_found'],
  ['the method is wrong', methodNotAllowed('PUT', '/x', ['GET']), 405, 'invalid_request_error', 'method_not_allowed'],
  ['the queue is full', overloaded('full', 5), 503, 'overloaded', 'overloaded'],
  ['the memory is too small', insufficientMemory('small'), 503, 'server_error', 'insufficient_memory'],
  ['something broke inside', serverError(), 500, 'server_error', 'server_error'],
];

describe('errors', () => {
  it.each(ERRORS)('says with status, type and code that %s', (_, error, status, type, code) => {
    expect(error).toBeInstanceOf(ApiError);
    expect(error.data).toMatchObject({ status, type, code });
  });

  it.each(ERRORS)('has a readable message when %s', (_, error) => {
    expect(error.message).not.toBe('');
    expect(error.data.message).toBe(error.message);
  });

  it('names the model id that does not exist', () => {
    expect(modelNotFound('org/nope').message).toContain('org/nope');
    expect(modelNotFound('org/nope').data.param).toBe('model');
  });

  it('names the field that is wrong', () => {
    expect(invalidRequest('no', 'top_p').data.param).toBe('top_p');
    expect(unsupportedParameter('n', 'no').data.param).toBe('n');
  });

  it('tells in Allow which methods a path takes', () => {
    expect(methodNotAllowed('PUT', '/x', ['GET', 'OPTIONS']).data.headers).toEqual({ allow: 'GET, OPTIONS' });
  });

  it('tells in Retry-After when to try again', () => {
    expect(overloaded('full', 5).data.headers).toEqual({ 'retry-after': '5' });
  });

  it('gives an ApiError as it is', () => {
    const error = invalidRequest('no', 'top_p', 'some_code');
    expect(toErrorData(error)).toBe(error.data);
  });

  it.each([
    ['an Error', new Error('/secret/path')],
    ['a string', 'secret'],
    ['undefined', undefined],
    ['something that only looks like an ApiError', { name: 'ApiError', data: { status: 200, message: 'secret' } }],
  ])('hides the internals of %s', (_, thrown) => {
    const data = toErrorData(thrown);
    expect(data).toEqual(serverError().data);
    expect(JSON.stringify(data)).not.toContain('secret');
  });

  it('has a JSON body of exactly message, type, code and param', () => {
    expect(errorBody(overloaded('full', 5).data)).toEqual({
      error: { message: 'full', type: 'overloaded', code: 'overloaded', param: null },
    });
  });

  it('becomes a JSON reply with its status and headers', () => {
    const reply = errorReply(overloaded('full', 7));
    expect(reply).toMatchObject({ status: 503, headers: { 'content-type': 'application/json', 'retry-after': '7' } });
    expect(JSON.parse(String(reply.body))).toEqual(errorBody(overloaded('full', 7).data));
  });
});
