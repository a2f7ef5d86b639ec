import { readFile, stat } from 'node:fs/promises';
import { expect, it } from 'vitest';

/** What the build makes of the library. */
const LIBRARY = 'dist-web/paddock/client';

it('the library is what the package exports for the web', async () => {
  const { exports } = JSON.parse(await readFile('package.json', 'utf8'));
  expect(exports['./web']).toEqual({ types: `./${LIBRARY}.d.ts`, default: `./${LIBRARY}.js` });
});

it('the library has under 20 kB', async () => {
  expect((await stat(`${LIBRARY}.js`)).size).toBeLessThan(20_000);
});

it('the library has types that need no other file', async () => {
  const types = await readFile(`${LIBRARY}.d.ts`, 'utf8');
  expect(types).toContain('export declare function startPaddock(options?: PaddockOptions): Promise<Paddock>;');
  expect(types).not.toMatch(/\b(import|from)\b.*['"]/);
});
