import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { LICENCES } from '../../src/site-files.ts';

/** A package whose code or files are in the site. */
export interface Licensed {
  name: string;
  version: string;
  /** The SPDX name of the licence, such as `MIT`. */
  identifier?: string;
  text?: string;
}

/** The copyright line of llama.cpp, which has the MIT licence as Paddock does. */
const LLAMA_CPP = 'Copyright (c) 2023-2026 The ggml authors';

/** The folder in the site where each build lists the packages that it bundled. It is removed at the end. */
const FOLDER = '.licences';

/** Returns the option by which Vite lists the bundled packages as JSON. `name` is the name of the build. */
export function licenceOption(name: string): { fileName: string } {
  return { fileName: `${FOLDER}/${basename(name)}.json` };
}

/**
 * Writes the licences of all packages in the site to one file. Call it after all builds. Throws if a licence is
 * missing.
 */
export async function writeLicences(out: string): Promise<void> {
  const folder = join(out, FOLDER);
  await mkdir(folder, { recursive: true });
  const lists = await Promise.all(
    (await readdir(folder)).map(async (file) => JSON.parse(await readFile(join(folder, file), 'utf8')) as Licensed[]),
  );
  await rm(folder, { recursive: true });
  await writeFile(join(out, LICENCES), licencesText([...lists.flat(), ...(await copied())]));
}

/** The packages whose files are copied into the site, so that no bundle lists them. */
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
    // wllama-compat has no licence file of its own. Its authors and sources are those of wllama.
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

/** Returns one text that has each package once, with its licence. `made` begins its first sentence, which "with these libraries" ends. */
export function licencesText(packages: Licensed[], made = 'The chat page and the engine of Paddock are made'): string {
  const byName = new Map(packages.map((one) => [`${one.name} ${one.version}`, one]));
  const parts = [...byName]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([title, { identifier = 'a licence of its own', text }]) =>
      [`${title} (${identifier})`, text?.trim() ?? `Its package has no file with the text of ${identifier}.`].join(
        '\n\n',
      ),
    );
  const rule = `\n\n${'-'.repeat(80)}\n\n`;
  return `${made} with these libraries.${rule}${parts.join(rule)}\n`;
}
