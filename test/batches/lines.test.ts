import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkLines } from '../../src/batches/check-lines.ts';
import { dropTornLine, linesOf, readLine } from '../../src/batches/lines.ts';
import { collect } from '../api/fixtures.ts';
import { repeats } from '../support/repeats.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-lines-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function fileWith(text: string): Promise<string> {
  const path = join(folder, 'lines.jsonl');
  await writeFile(path, text);
  return path;
}

const endpoint = '/v1/embeddings';
const whole = { custom_id: 'a', method: 'POST', url: endpoint, body: { input: 'x' } };

describe('the lines of a file', () => {
  it('are numbered, without those that are empty, and without a byte order mark', async () => {
    const path = await fileWith('\uFEFFone\n\n  \r\nfour\u2028\nfive');
    expect(await collect(linesOf(path))).toEqual([
      { number: 1, text: 'one' },
      { number: 4, text: 'four\u2028' },
      { number: 5, text: 'five' },
    ]);
  });

  it('are the same however long they are: no character is lost between two reads', async () => {
    const line = fc.tuple(fc.stringMatching(/^[a-zäß€😀]{1,40}$/u), fc.integer({ min: 1, max: 4000 }));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 12 }), async (parts) => {
        const lines = parts.map(([text, times]) => text.repeat(times));
        const path = await fileWith(lines.join('\n'));
        expect((await collect(linesOf(path))).map(({ text }) => text)).toEqual(lines);
      }),
      { numRuns: repeats(20, 200) },
    );
  });
});

describe('a line', () => {
  it('is a request with an id, whose body is as it was', () => {
    expect(readLine(JSON.stringify(whole), endpoint)).toEqual({ customId: 'a', body: '{"input":"x"}' });
  });

  it.each([
    ['{', 'invalid_json_line', null],
    ['[]', 'invalid_json_line', null],
    ['['.repeat(200), 'body_too_deep', null],
    [JSON.stringify({ ...whole, custom_id: 1 }), 'invalid_custom_id', 'custom_id'],
    [JSON.stringify({ ...whole, custom_id: 'x'.repeat(513) }), 'invalid_custom_id', 'custom_id'],
    [JSON.stringify({ ...whole, method: 'GET' }), 'invalid_method', 'method'],
    [JSON.stringify({ ...whole, url: '/v1/chat/completions' }), 'invalid_url', 'url'],
    [JSON.stringify({ ...whole, body: [] }), 'invalid_body', 'body'],
    [JSON.stringify({ ...whole, body: { stream: true } }), 'stream_not_supported', 'body.stream'],
  ])('%s is wrong: %s', (text, code, param) => {
    expect(readLine(text, endpoint)).toEqual({ code, param, message: expect.stringMatching(/\.$/) });
  });
});

describe('the check of a file', () => {
  const check = async (text: string, most = 3) => checkLines(await fileWith(text), endpoint, most);
  const line = (id: string) => JSON.stringify({ ...whole, custom_id: id });

  it('counts the requests of a file that is right', async () => {
    expect(await check(`${line('a')}\n${line('b')}\n`)).toEqual({ total: 2, problems: [] });
  });

  it.each([
    ['without requests', '\n\n', [[null, 'empty_file']]],
    ['with two ids that are the same', `${line('a')}\n${line('a')}`, [[2, 'duplicate_custom_id']]],
    ['with too many requests', 'abcd'.replace(/./g, (id) => `${line(id)}\n`), [[4, 'too_many_requests_in_file']]],
    [
      'with several wrong lines',
      `{\n${line('a')}\n[]`,
      [
        [1, 'invalid_json_line'],
        [3, 'invalid_json_line'],
      ],
    ],
  ])('tells what is wrong with one %s', async (_, text, expected) => {
    const { problems } = await check(text);
    expect(problems.map(({ line: at, code }) => [at, code])).toEqual(expected);
  });
});

describe('a last line that was cut off', () => {
  it.each([
    ['', ''],
    ['a\nb\n', 'a\nb\n'],
    ['a\nb', 'a\n'],
    ['a', ''],
    [`a\n${'b'.repeat(200_000)}`, 'a\n'],
    ['b'.repeat(200_000), ''],
  ])('is removed, and nothing else (case %#)', async (text, left) => {
    const path = await fileWith(text);
    await dropTornLine(path);
    expect(await readFile(path, 'utf8')).toBe(left);
  });

  it('needs no file', async () => {
    await expect(dropTornLine(join(folder, 'none'))).resolves.toBeUndefined();
  });
});
