import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { integerField, nonEmptyText } from '../../../src/api/fields/fields.ts';
import { readModelRequest } from '../../../src/api/fields/model-request.ts';
import { createContext, modelCard, post } from '../fixtures.ts';

const schema = v.looseObject({ model: nonEmptyText, count: v.nullish(integerField(1)) }, 'must be a JSON object');

const read = async (body: unknown, refused?: string[]) => {
  const { context, noted } = createContext();
  return { ...(await readModelRequest(context, post('/v1/x', body), schema, refused)), noted, trace: context.trace };
};

const refusal = (data: Record<string, unknown>) => expect.objectContaining({ data: expect.objectContaining(data) });

describe('a request to a model', () => {
  it('is its body and the model that it names', async () => {
    expect(await read({ model: 'tiny', count: 2 })).toMatchObject({
      body: { model: 'tiny', count: 2 },
      model: modelCard(),
    });
  });

  it('is answered with 404 for an unknown model, with its name', async () => {
    await expect(read({ model: 'nope' })).rejects.toThrow(
      refusal({ status: 404, code: 'model_not_found', param: 'model' }),
    );
    await expect(read({ model: 'nope' })).rejects.toThrow('nope');
  });

  it('is answered with 400 for a field that is not valid, before the model is looked for', async () => {
    await expect(read({ model: 'nope', count: 0 })).rejects.toThrow(refusal({ status: 400, param: 'count' }));
  });

  it('is answered with 400 for a field that would be ignored silently', async () => {
    await expect(read({ model: 'tiny', grammar: 'x' })).rejects.toThrow(refusal({ status: 400, param: 'grammar' }));
    await expect(read({ model: 'tiny', other: 'x' }, ['other'])).rejects.toThrow(
      refusal({ status: 400, param: 'other' }),
    );
  });

  it('is named in the log by its model from then on', async () => {
    expect((await read({ model: 'tiny' })).trace).toMatchObject({ model: 'tiny' });
  });

  it('has its unknown fields noted', async () => {
    expect((await read({ model: 'tiny', sparkle: 1, user: 'ann' })).noted).toEqual([['sparkle']]);
  });
});
