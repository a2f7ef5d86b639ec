import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTINGS, type Setting } from '../../src/serve/config/settings.ts';
import { codeOf, IGNORED, readPages } from './markdown.ts';

const pages = readPages();

/** Flags of Node, npm, Vitest, Docker, kubectl, systemctl, Chromium, llama-server and deploy/install.sh. */
const FOREIGN_FLAGS = [
  '--bin',
  '--build-arg',
  '--cap-drop',
  '--cpus',
  '--disable-vulkan-surface',
  '--enable-dawn-features',
  '--enable-features',
  '--enable-unsafe-webgpu',
  '--from-file',
  '--from-literal',
  '--ignore-gpu-blocklist',
  '--ignore-scripts',
  '--inspect',
  '--inspect-brk',
  '--memory',
  '--mmproj',
  '--no-completion',
  '--no-file-parallelism',
  '--no-media',
  '--no-webui',
  '--now',
  '--omit',
  '--package',
  '--prefix',
  '--read-only',
  '--report-on-fatalerror',
  '--save-exact',
  '--security-opt',
  '--service',
  '--shm-size',
  '--stop-timeout',
  '--tmpfs',
  '--use-angle',
  '--use-vulkan',
];

/** The files and folders at the root of the repository; what is made there is not. */
const ROOT = readdirSync('.').filter((name) => !IGNORED.includes(name));

/** All that is written in these files. */
function textOf(...places: string[]): string {
  const files = places.flatMap((place) =>
    /\.\w+$/.test(place)
      ? [place]
      : readdirSync(place, { recursive: true, encoding: 'utf8' })
          .map((name) => join(place, name))
          .filter((name) => /\.(ts|tsx|mjs|py)$/.test(name)),
  );
  return files.map((file) => readFileSync(file, 'utf8')).join('\n');
}

const commands = textOf('src/serve', 'src/cli', 'test/trials', 'benchmarks', 'models/pico');
const sources = textOf('src', 'test', 'web');
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

/** Each match of the pattern's first group in the code of the pages, with the page. */
function mentions(pattern: RegExp): [page: string, text: string][] {
  return pages.flatMap((page) =>
    codeOf(page).flatMap((code) =>
      [...code.matchAll(pattern)].map(([, text = '']): [string, string] => [page.path, text]),
    ),
  );
}

function isFlag(flag: string): boolean {
  if (FOREIGN_FLAGS.includes(flag)) return true;
  if (Object.values(SETTINGS).some((setting) => (setting as Setting<unknown>).flags.split(' ')[0] === flag))
    return true;
  // Of commander, of parseArgs or of argparse; commander adds the first two by itself.
  const name = flag.slice('--'.length);
  const camelCase = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  if (['help', 'version'].includes(name)) return true;
  return [`${flag} `, `${flag}'`, `${flag}"`, `    ${camelCase}: {`, `    '${name}': {`].some((text) =>
    commands.includes(text),
  );
}

describe('the documentation mentions', () => {
  it('flags that there are', () => {
    const found = mentions(/(?<![\w-])(--[a-z][a-z0-9-]*)/g);
    expect(found.length).toBeGreaterThan(40);
    expect(found.filter(([, flag]) => !isFlag(flag))).toEqual([]);
  });

  it('variables that there are', () => {
    const found = mentions(/\b((?:PADDOCK|HF)_[A-Z_]+)\b/g);
    expect(found.length).toBeGreaterThan(20);
    expect(found.filter(([, name]) => !sources.includes(name))).toEqual([]);
  });

  it('files and folders that there are', () => {
    const root = ROOT.map((name) => name.replaceAll('.', '\\.')).join('|');
    const found = mentions(new RegExp(`(?:^|[\\s'"(])((?:${root})/[\\w./*<>{},-]*[\\w/])`, 'g'));
    expect(found.length).toBeGreaterThan(60);
    const plain = found.filter(([, path]) => !/[*<>{}]/.test(path));
    expect(plain.filter(([, path]) => !existsSync(path))).toEqual([]);
  });

  it('scripts of npm that there are', () => {
    const found = mentions(/\bnpm (?:run )?((?<=run )[\w:-]+|start|test)/g);
    expect(found.length).toBeGreaterThan(5);
    expect(found.filter(([, name]) => !(name in scripts))).toEqual([]);
  });

  it('compiled files whose sources there are', () => {
    const found = mentions(/\b(dist\/[\w./-]+\.js)\b/g);
    const bundles = readFileSync('web/build/programs.ts', 'utf8');
    const isMade = (path: string) => {
      const bundle = /^dist\/programs\/(.*)\.js$/.exec(path)?.[1];
      if (bundle !== undefined) return new RegExp(`^ {2}'?${bundle}'?: '`, 'm').test(bundles);
      return existsSync(path.replace(/^dist\//, '').replace(/\.js$/, '.ts'));
    };
    expect(found.filter(([, path]) => !isMade(path))).toEqual([]);
  });
});
