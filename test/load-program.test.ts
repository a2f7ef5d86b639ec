import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadProgram } from '../src/load-program.ts';

let folder: string;
let cacheFile: string;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  folder = await mkdtemp(join(tmpdir(), 'paddock-program-'));
  cacheFile = join(folder, 'cache', String(cachedDataVersionTag()), 'greet');
  await mkdir(join(folder, 'parts'));
  await write('main', "exports.greeting = require('./words.js').greet(); exports.name = require('node:path').sep;");
  await write('words', "exports.times = 0; exports.greet = () => 'hello';");
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true });
});

/** Writes a file as the build does. */
function write(name: string, code: string): Promise<void> {
  const text = `(function(exports,require,__filename,loadES){"use strict";${code}})`;
  return writeFile(join(folder, 'parts', `${name}.js`), text);
}

const load = (main = 'main') => loadProgram(`${main}.js`, pathToFileURL(join(folder, 'greet.js')).href);

/** Lets the time pass after which the code cache is written. */
const runForLong = () => vi.advanceTimersByTime(10_000);

describe('a program', () => {
  it('has its files run once each, and gets packages from Node', async () => {
    await write('count', "require('./words.js').times += 1; exports.other = require('./main.js');");
    await write('both', "exports.words = require('./words.js'); require('./count.js'); require('./count.js');");
    expect(load('both')).toEqual({ words: { times: 1, greet: expect.any(Function) } });
    expect(load()).toEqual({ greeting: 'hello', name: '/' });
  });

  it('names a file by its URL where it throws', async () => {
    await write('fails', "throw new Error('no');");
    const url = pathToFileURL(join(folder, 'parts', 'fails.js')).href;
    expect(() => load('fails')).toThrow(expect.objectContaining({ stack: expect.stringContaining(`${url}:1:`) }));
  });
});

describe('the code cache of a program', () => {
  it('is written by a run that is long enough, and used by the next one', async () => {
    load();
    expect(existsSync(cacheFile)).toBe(false);
    runForLong();
    expect(existsSync(cacheFile)).toBe(true);
    // V8 compares only the lengths of the sources. So a run that says `hello` has its functions from the cache.
    await write('words', "exports.times = 0; exports.greet = () => 'howdy';");
    expect(load()).toMatchObject({ greeting: 'hello' });
  });

  it('grows with the files that another run needs', async () => {
    load();
    runForLong();
    await write('more', "exports.more = 'aaa';");
    load('more');
    runForLong();
    await write('more', "exports.more = 'bbb';");
    await write('words', "exports.times = 0; exports.greet = () => 'howdy';");
    expect([load('more'), load()]).toMatchObject([{ more: 'aaa' }, { greeting: 'hello' }]);
  });

  it.each([
    ['is no cache', 'x'.repeat(100)],
    ['is empty', ''],
  ])('is replaced if its file %s', async (_, content) => {
    await mkdir(join(cacheFile, '..'), { recursive: true });
    await writeFile(cacheFile, content);
    expect(load()).toMatchObject({ greeting: 'hello' });
    runForLong();
    await write('words', "exports.times = 0; exports.greet = () => 'howdy';");
    expect(load()).toMatchObject({ greeting: 'hello' });
    expect(readdirSync(join(cacheFile, '..'))).toEqual(['greet']);
  });

  it('is left out where it can not be written', async () => {
    await writeFile(join(folder, 'cache'), 'a file in the place of the folder');
    load();
    runForLong();
    expect(load()).toMatchObject({ greeting: 'hello' });
  });
});
