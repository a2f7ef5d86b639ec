import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as v from 'valibot';
import { messageOf, UsageError } from '../errors.ts';

const MOST = 1_000_000_000;

/** Also what a name may be in a label of the metrics and in a log line. */
const name = v.pipe(
  v.string(),
  v.regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, hyphens or underscores'),
);
const limit = v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MOST)));

const storedKey = v.strictObject({
  name,
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')),
  created: v.string(),
  models: v.optional(v.array(v.string())),
  manages: v.optional(v.boolean()),
  requestsPerMinute: limit,
  tokensPerMinute: limit,
  concurrency: limit,
  priority: v.optional(v.pipe(v.number(), v.integer(), v.minValue(-100), v.maxValue(100))),
});
const keysFile = v.strictObject({ keys: v.array(storedKey) });

/** A key as the file has it: the hash of the key, never the key. Absent fields limit nothing; `manages` is false by default. */
export type StoredKey = v.InferOutput<typeof storedKey>;

/** Reads a file of keys. Throws a `UsageError` that names the file and what is wrong with it. */
export function readKeysFile(path: string): StoredKey[] {
  const { keys } = parse(path, readText(path));
  const names = keys.map((key) => key.name);
  const twice = names.find((each, index) => names.indexOf(each) !== index);
  if (twice !== undefined) throw new UsageError(`${path}, the file of keys, has two keys named ${twice}`);
  return keys;
}

/** Writes a file of keys that only its owner may read. It is replaced as a whole, so a server that reads it meanwhile finds one of both. */
export function writeKeysFile(path: string, keys: StoredKey[]): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify({ keys }, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

/** The keys of a file that need not be there. */
export function readKeysIfAny(path: string): StoredKey[] {
  return existsSync(path) ? readKeysFile(path) : [];
}

/** A new key. 256 random bits need no salt: nobody can try them all, nor has a table of them. */
export function newKeyText(): string {
  return `pdk-${randomBytes(32).toString('base64url')}`;
}

export function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Throws a `UsageError` if a key can't have this name. */
export function checkName(given: string): void {
  const result = v.safeParse(name, given);
  if (!result.success) throw new UsageError(`the name ${result.issues[0].message}`);
  // Those of --api-key are named so.
  if (/^key-\d+$/.test(given)) throw new UsageError(`the name ${given} is taken by the keys of --api-key`);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`the file of --keys can't be read: ${messageOf(error)}`);
  }
}

function parse(path: string, text: string): { keys: StoredKey[] } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path}, the file of keys, is not valid JSON: ${messageOf(error)}`);
  }
  const result = v.safeParse(keysFile, json);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new UsageError(`${path}, the file of keys, is wrong at ${v.getDotPath(issue) ?? 'its root'}: ${issue.message}`);
}
