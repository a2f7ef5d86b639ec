import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const SITE = 'dist-web';
const MOST_BYTES = 100_000;

it('the first load of the page has less than 100 kB compressed, before engine and model', async () => {
  const html = await readFile(join(SITE, 'index.html'), 'utf8');
  const files = ['index.html', ...html.matchAll(/(?:src|href)="\.\/(assets\/[\w./-]+\.(?:js|css))"/g)].map((found) =>
    typeof found === 'string' ? found : (found[1] ?? ''),
  );
  expect(files).toEqual(expect.arrayContaining(['assets/chat.js', 'assets/chat.css']));
  const sizes = await Promise.all(files.map(async (file) => gzipSync(await readFile(join(SITE, file))).length));
  expect(sizes.reduce((total, size) => total + size, 0)).toBeLessThan(MOST_BYTES);
});
