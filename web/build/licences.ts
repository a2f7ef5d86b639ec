import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { LICENCES } from '../../src/site-files.ts';

/** A package of which the site has code or files. */
export interface Licensed {
  name: string;
  version: string;
  /** The name of its licence, as `MIT`. */
  identifier?: string;
  text?: string;
}

/** The line that names the authors of llama.cpp in its licence, which is the MIT licence too. */
const LLAMA_CPP = 'Copyright (c) 2023-2026 The ggml authors';

/** Where each build writes, within the site, what packages it has bundled. It is removed at the end. */
const FOLDER = '.licences';

/** Vite's option for a build: it lists the packages that it bundles, as JSON. `name` is that of the build. */
export function licenceOption(name: string): { fileName: string } {
  return { fileName: `${FOLDER}/${basename(name)}.json` };
}

/** Writes the licences of all packages in the site to one file. It comes after all builds. */
export async function writeLicences(out: string): Promise<void> {
  const folder = join(out, FOLDER);
  await mkdir(folder, { recursive: true });
  const lists = await Promise.all(
    (await readdir(folder)).map(async (file) => JSON.parse(await readFile(join(folder, file), 'utf8')) as Licensed[]),
  );
  await rm(folder, { recursive: true });
  await writeFile(join(out, LICENCES), licencesText([...lists.flat(), ...(await copied())]));
}

/** What is copied into the site, and so is in no bundle. */
async function copied(): Promise<Licensed[]> {
  const { resolve } = createRequire(import.meta.url);
  const wllama = dirname(dirname(resolve('@wllama/wllama/esm/index.js')));
  const compat = dirname(dirname(resolve('@wllama/wllama-compat/wasm/wllama.js')));
  const pdf = dirname(resolve('pdfjs-dist/package.json'));
  const { version } = JSON.parse(await readFile(join(compat, 'package.json'), 'utf8')) as Licensed;
  const { version: pdfVersion } = JSON.parse(await readFile(join(pdf, 'package.json'), 'utf8')) as Licensed;
  const [own, tables] = await Promise.all([
    readFile(join(wllama, 'LICENCE'), 'utf8'),
    readFile(join(pdf, 'cmaps', 'LICENSE'), 'utf8'),
  ]);
  return [
    // The same authors build it from the same sources. It has no file of its own for that.
    { name: '@wllama/wllama-compat', version, identifier: 'MIT', text: own },
    {
      name: 'character tables of pdfjs-dist',
      version: pdfVersion,
      identifier: 'BSD-3-Clause',
      text: tables.replace(/^%%Copyright:[- ]*/gm, ''),
    },
    {
      name: 'llama.cpp, within wllama.wasm',
      version,
      identifier: 'MIT',
      text: own.replace(/^Copyright .*$/m, LLAMA_CPP),
    },
  ];
}

/** Names each package once, with its licence. */
export function licencesText(packages: Licensed[]): string {
  const byName = new Map(packages.map((one) => [`${one.name} ${one.version}`, one]));
  const parts = [...byName]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([title, { identifier = 'a licence of its own', text }]) =>
      [`${title} (${identifier})`, text?.trim() ?? `Its package has no file with the text of ${identifier}.`].join(
        '\n\n',
      ),
    );
  const rule = `\n\n${'-'.repeat(80)}\n\n`;
  return `The chat page and the engine of Paddock are made with these libraries.${rule}${parts.join(rule)}\n`;
}
