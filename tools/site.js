import { cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

// npm run site: copies the built site into a folder that any static host can take, with the files that some hosts read,
// and prints what it weighs. The site finds its files relative to its own page, so it may lie in a subfolder of the host.
// `--out` names the folder, by default `site`. npm runs the build before it.

/** The largest file of a host that has the smallest limit that is known: Cloudflare Pages, 25 MiB. */
const LARGEST_BYTES = 25 * 2 ** 20;
/** Only programs that are built with the library read these. */
const LEFT_OUT = ['paddock/client.d.ts'];

/** Headers for the hosts that read `_headers`. Other hosts need none: the service worker adds those that isolate a page. */
const HEADERS = `/*
  Cross-Origin-Opener-Policy: same-origin
  Cross-Origin-Embedder-Policy: require-corp
  X-Content-Type-Options: nosniff

/service-worker.js
  Cache-Control: no-cache
`;

const { values } = parseArgs({ options: { out: { type: 'string', default: 'site' } } });
const out = resolve(values.out);
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
cpSync('dist-web', out, {
  recursive: true,
  filter: (file) => !LEFT_OUT.some((path) => file === join('dist-web', path)),
});
writeFileSync(join(out, '_headers'), HEADERS);
// Without it, GitHub Pages leaves files out when it serves a branch.
writeFileSync(join(out, '.nojekyll'), '');

const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const sizes = files.map((entry) => ({
  name: join(entry.parentPath, entry.name),
  bytes: statSync(join(entry.parentPath, entry.name)).size,
}));
const [largest] = sizes.sort((a, b) => b.bytes - a.bytes);
const all = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
if (!largest || largest.bytes > LARGEST_BYTES) throw new Error(`${largest?.name} is too large for some hosts`);
process.stdout.write(
  `${out}: ${files.length} files, ${megabytes(all)} MB; the largest has ${megabytes(largest.bytes)} MB\n`,
);

/** @param {number} bytes */
function megabytes(bytes) {
  return (bytes / 1e6).toFixed(1);
}
