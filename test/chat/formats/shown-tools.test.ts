import { describe, expect, it } from 'vitest';
import type { Tool } from '../../../src/chat/formats/format.ts';
import { toolVariants } from '../../../src/chat/formats/shown-tools.ts';

const parametersOf = (tools: Tool[]) =>
  toolVariants(tools).map((list) =>
    (list as { function: Tool }[] | undefined)?.map((tool) => tool.function.parameters),
  );
const property = (schema: unknown) => {
  const [, simple = []] = parametersOf([{ name: 'f', parameters: { properties: { x: schema } } }]);
  const [parameters] = simple as { properties: { x: unknown } }[];
  return parameters?.properties.x;
};

describe('the tools that a template is given', () => {
  it('are undefined if there are none, then an empty list for templates that need one', () => {
    expect(toolVariants([])).toEqual([undefined, []]);
  });

  it('always have a description and parameters', () => {
    expect(toolVariants([{ name: 'now' }])[0]).toEqual([
      { type: 'function', function: { name: 'now', description: '', parameters: { type: 'object', properties: {} } } },
    ]);
  });

  it('come unchanged first', () => {
    const parameters = { type: 'object', properties: { x: { anyOf: [{ type: 'string' }] } }, required: ['x'] };
    expect(parametersOf([{ name: 'f', parameters }])[0]).toEqual([parameters]);
  });

  it.each([
    [{}, { type: 'string' }],
    [true, { type: 'string' }],
    [
      { type: 'integer', minimum: 1 },
      { type: 'integer', minimum: 1 },
    ],
    [{ type: ['null', 'number'] }, { type: 'number' }],
    [{ enum: ['a'] }, { type: 'string', enum: ['a'] }],
    [{ enum: [1, 2] }, { type: 'number', enum: [1, 2] }],
    [{ type: 'array' }, { type: 'array', items: { type: 'string', description: '' } }],
    [
      { anyOf: [{ type: 'null' }, { type: 'object' }] },
      { type: 'object', anyOf: [{ type: 'null' }, { type: 'object' }] },
    ],
    [
      { properties: { y: { description: 'd' } }, additionalProperties: false },
      { type: 'object', properties: { y: { type: 'string', description: 'd' } } },
    ],
  ])('are simplified in the second variant: %j', (schema, simple) => {
    expect(property(schema)).toEqual({ description: '', ...simple });
  });

  it('are cut at some depth', () => {
    let schema: Record<string, unknown> = { type: 'string' };
    for (let depth = 0; depth < 100; depth++) schema = { type: 'object', properties: { x: schema } };
    expect(JSON.stringify(property(schema)).match(/"x"/g)?.length).toBeLessThan(40);
  });
});
