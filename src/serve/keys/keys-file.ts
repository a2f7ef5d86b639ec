import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import * as v from 'valibot';
import { integerField } from '../../api/fields/fields.ts';
import { isPlainName } from '../../api/keys/plain.ts';
import { OWNER_ONLY } from '../../replace-file.ts';
import { isObject } from '../../utils/json.ts';
import { parseGivenJson, readGivenFile, writeGivenFile } from '../config/given-file.ts';
import { readValue } from '../config/values.ts';
import { UsageError } from '../errors.ts';

/** These characters need no quotes in labels of metrics and in log lines. */
const name = v.pipe(
  v.string(),
  v.regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, hyphens or underscores'),
  // Two keys with one name would share slots and cached prompts, and log and metrics could not distinguish them.
  v.check((given) => !isPlainName(given), 'must not be key- and a number: so the keys of --api-key are named'),
);

const MOST = 1_000_000_000;

/** The fields of a key that are numbers. */
export type NumberField = 'requestsPerMinute' | 'tokensPerMinute' | 'concurrency' | 'priority';

/** The least and the largest value of each. */
export const BOUNDS: Record<NumberField, readonly [number, number]> = {
  requestsPerMinute: [1, MOST],
  tokensPerMinute: [1, MOST],
  concurrency: [1, MOST],
  priority: [-100, 100],
};

const optionalInteger = ([min, max]: readonly [number, number]) => v.optional(integerField(min, max));

const storedKey = v.strictObject({
  name,
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')),
  created: v.string(),
  models: v.optional(v.array(v.string())),
  manages: v.optional(v.boolean()),
  requestsPerMinute: optionalInteger(BOUNDS.requestsPerMinute),
  tokensPerMinute: optionalInteger(BOUNDS.tokensPerMinute),
  concurrency: optionalInteger(BOUNDS.concurrency),
  priority: optionalInteger(BOUNDS.priority),
});
const keysFile = v.strictObject({ keys: v.array(storedKey) });

/** A key in the file, by its hash: the key itself is stored nowhere. Absent fields set no limit; `manages` is false by default. */
export type StoredKey = v.InferOutput<typeof storedKey>;

/** Reads a file of keys. Throws a `UsageError` that names the file and what is wrong with it. */
export function readKeysFile(path: string): StoredKey[] {
  const { keys } = parse(path, readGivenFile(path, 'the file of --keys'));
  const names = keys.map((key) => key.name);
  const twice = names.find((each, index) => names.indexOf(each) !== index);
  if (twice !== undefined) throw new UsageError(`${path}, the file of keys, has two keys named ${twice}`);
  return keys;
}

/** Writes a file of keys that only its owner may read. */
export function writeKeysFile(path: string, keys: StoredKey[]): Promise<void> {
  return writeGivenFile(path, `${JSON.stringify({ keys }, null, 2)}\n`, OWNER_ONLY);
}

/** Reads a file of keys as `readKeysFile` does; no keys if the file does not exist. */
export function readKeysIfAny(path: string): StoredKey[] {
  return existsSync(path) ? readKeysFile(path) : [];
}

/** Returns a new key. Its 256 random bits need no salt: no table of hashes can cover them. */
export function newKeyText(): string {
  return `pdk-${randomBytes(32).toString('base64url')}`;
}

/** Returns the SHA-256 of a key in hex. */
export function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Throws a `UsageError` if a key can't have this name. */
export function checkName(given: string): void {
  readValue(name, given, 'the name');
}

function parse(path: string, text: string): { keys: StoredKey[] } {
  const json = parseGivenJson(text, `${path}, the file of keys,`);
  if (!isObject(json)) throw new UsageError(`${path}, the file of keys, must be a JSON object`);
  const result = v.safeParse(keysFile, json);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new UsageError(`${path}, the file of keys, is wrong at ${v.getDotPath(issue) ?? 'its root'}: ${issue.message}`);
}
