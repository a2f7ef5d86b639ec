import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonInTurns } from '../../../src/api/http/json-in-turns.ts';

it('a JSON text that is written in turns is that of JSON.stringify', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (value) => {
      expect(await jsonInTurns(value)).toBe(JSON.stringify(value));
    }),
  );
  expect(await jsonInTurns({ a: undefined, b: [undefined, 1] })).toBe('{"b":[null,1]}');
});

it('a long list lets other work go on while it is written', async () => {
  let turns = 0;
  let going = true;
  const other = () => {
    turns += 1;
    if (going) setImmediate(other);
  };
  other();
  const items = Array.from({ length: 300_000 }, (_, id) => ({ id, piece: 'piece' }));
  expect(JSON.parse(await jsonInTurns({ items })).items).toHaveLength(items.length);
  going = false;
  expect(turns).toBeGreaterThan(5);
});
