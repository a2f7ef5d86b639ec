import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { integer, nonEmptyText } from '../../../../src/core/api/fields/fields.ts';
import { readModelRequest } from '../../../../src/core/api/fields/model-request.ts';
import { createContext, modelCard, post } from '../fixtures.ts';

const schema = v.looseObject({ model: nonEmptyText, count: v.nullish(integer(1)) }, 'must be a JSON object');

const read = (body: unknown, refused?: string[]) => {
  const { context, noted } = createContext();
  return { ...readModelRequest(context, post('/v1/x', body), schema, refused), noted };
};

const refusal = (data: Record<string, unknown>) => expect.objectContaining({ data: expect.objectContaining(data) });

describe('a request to a model', () => {
  it('is its body and the model that it names', () => {
    expect(read({ model: 'tiny', count: 2 })).toMatchObject({
      body: { model: 'tiny', count: 2 },
      model: modelCard(),
    });
  });

  it('is answered with 404 for an unknown model, with its name', () => {
    expect(() => read({ model: 'nope' })).toThrow(refusal({ status: 404, code: 'model_not_found', param: 'model' }));
    expect(() => read({ model: 'nope' })).toThrow('nope');
  });

  it('is answered with 400 for a field that is not valid, before the model is looked for', () => {
    expect(() => read({ model: 'nope', count: 0 })).toThrow(refusal({ status: 400, param: 'count' }));
  });

  it('is answered with 400 for a field that would silently be ignored', () => {
    expect(() => read({ model: 'tiny', grammar: 'x' })).toThrow(refusal({ status: 400, param: 'grammar' }));
    expect(() => read({ model: 'tiny', other: 'x' }, ['other'])).toThrow(refusal({ status: 400, param: 'other' }));
  });

  it('has its fields that nobody defines noted', () => {
    expect(read({ model: 'tiny', sparkle: 1, user: 'ann' }).noted).toEqual([['sparkle']]);
  });
});
