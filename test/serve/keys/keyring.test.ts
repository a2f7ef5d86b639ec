import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plainKeys } from '../../../src/api/keys/plain.ts';
import { joinKeys, openKeyring } from '../../../src/serve/keys/keyring.ts';
import { hashOf, newKeyText, readKeysFile, type StoredKey, writeKeysFile } from '../../../src/serve/keys/keys-file.ts';
import { recordingLog, silentLog } from '../../kit/log.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paddock-keys-'));
  file = join(folder, 'keys.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

function stored(name: string, key: string, more: Partial<StoredKey> = {}): StoredKey {
  return { name, sha256: hashOf(key), created: '2026-11-22T00:00:00.000Z', ...more };
}

describe('the file of keys', () => {
  it('has hashes alone, and is for its owner alone', async () => {
    const key = newKeyText();
    expect(key).toMatch(/^pdk-[\w-]{43}$/);
    await writeKeysFile(file, [stored('alice', key)]);
    expect(readFileSync(file, 'utf8')).not.toContain(key);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o077).toBe(0);
    expect(readKeysFile(file)).toEqual([stored('alice', key)]);
  });

  it.each<[string, string, RegExp]>([
    ['no JSON', '{"keys":\n[1\n2]}', /keys\.json, the file of keys, is not valid JSON: see line 3$/],
    ['keys as they are', 'my-secret-key', /keys\.json, the file of keys, is not valid JSON$/],
    ['a list', '[]', /must be a JSON object$/],
    ['an unknown field', '{"keys":[{"name":"a","sha256":"","created":"","rpm":1}]}', /is wrong at keys\.0/],
    [
      'a wrong limit',
      JSON.stringify({ keys: [stored('a', 'k', { concurrency: 0 })] }),
      /is wrong at keys\.0\.concurrency/,
    ],
    [
      'a name of the keys of --api-key',
      JSON.stringify({ keys: [stored('key-1', 'k')] }),
      /is wrong at keys\.0\.name: must not be key- and a number/,
    ],
    ['two of a name', JSON.stringify({ keys: [stored('a', 'k'), stored('a', 'l')] }), /has two keys named a/],
  ])('is refused with %s', (_, text, message) => {
    writeFileSync(file, text);
    expect(() => readKeysFile(file)).toThrow(message);
  });
});

describe('the keyring', () => {
  it('finds a key by its hash, with what it may do', async () => {
    await writeKeysFile(file, [
      stored('alice', 'one', { models: ['tiny'], tokensPerMinute: 5 }),
      stored('boss', 'two', { manages: true, priority: 3 }),
    ]);
    const keys = openKeyring(file, silentLog);
    expect(keys.required).toBe(true);
    expect(keys.find('one')).toEqual({
      name: 'alice',
      models: ['tiny'],
      manages: false,
      priority: 0,
      limits: { requestsPerMinute: null, tokensPerMinute: 5, concurrency: null },
    });
    expect(keys.find('two')).toEqual({ name: 'boss', models: null, manages: true, priority: 3, limits: null });
    for (const wrong of ['on', 'one ', '', hashOf('one')]) expect(keys.find(wrong)).toBeUndefined();
  });

  it('reads the file again when it has changed: keys come and go without a restart', async () => {
    let now = 0;
    await writeKeysFile(file, [stored('alice', 'one', { concurrency: 1 })]);
    const keys = openKeyring(file, silentLog, () => now);
    const before = keys.find('one');
    await writeKeysFile(file, [stored('alice', 'one', { concurrency: 1 }), stored('bob', 'two')]);
    expect(keys.find('two')).toBeUndefined();
    now = 1001;
    expect(keys.find('two')).toMatchObject({ name: 'bob' });
    // What has not changed is the same key, so its limits go on counting.
    expect(keys.find('one')).toBe(before);
    await writeKeysFile(file, []);
    now = 3000;
    expect(keys.find('one')).toBeUndefined();
    expect(keys.required).toBe(true);
  });

  it('keeps the keys that it has while the file is broken, and says so', async () => {
    let now = 0;
    const lines: string[] = [];
    await writeKeysFile(file, [stored('alice', 'one')]);
    const keys = openKeyring(file, recordingLog(lines), () => now);
    writeFileSync(file, 'broken');
    now = 2000;
    expect(keys.find('one')).toMatchObject({ name: 'alice' });
    expect(lines.join()).toContain('the keys from before still hold');
    rmSync(file);
    now = 4000;
    expect(keys.find('one')).toMatchObject({ name: 'alice' });
    await writeKeysFile(file, []);
  });

  it('stands beside the keys of the configuration', async () => {
    await writeKeysFile(file, [stored('alice', 'one')]);
    const keys = joinKeys(plainKeys(['sk']), openKeyring(file, silentLog));
    expect([keys.find('sk')?.name, keys.find('one')?.name, keys.find('x')]).toEqual(['key-1', 'alice', undefined]);
  });
});
