import { readFile, stat } from 'node:fs/promises';
import { expect, it } from 'vitest';

const exported = JSON.parse(await readFile('package.json', 'utf8')).exports['./web'] as Record<string, string>;

it('the library has under 20 kB', async () => {
  expect((await stat(exported.default ?? '')).size).toBeLessThan(20_000);
});

it('the library has types that need no other file', async () => {
  const types = await readFile(exported.types ?? '', 'utf8');
  expect(types).toContain('export declare function startPaddock(options?: PaddockOptions): Promise<Paddock>;');
  expect(types).not.toMatch(/\b(import|from)\b.*['"]/);
});
