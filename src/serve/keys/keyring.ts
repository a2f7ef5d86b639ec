import { statSync } from 'node:fs';
import type { ApiKey, ApiKeys } from '../../api/keys/key.ts';
import type { Log } from '../../contract/log.ts';
import { messageOf } from '../../utils/error-message.ts';
import { hashOf, readKeysFile, type StoredKey } from './keys-file.ts';

/** The file is checked for changes at most once in this time, in ms, and only when a request comes. */
const LOOK_MS = 1000;

/**
 * Opens a file of keys for the API. The file is read again when it has changed, so a removed key becomes invalid within a second. While the
 * file is missing or wrong, the keys that were read last stay valid. Throws a `UsageError` if the file is missing or wrong at the start.
 */
export function openKeyring(path: string, log: Log, now: () => number = () => performance.now()): ApiKeys {
  let keys = byHash(readKeysFile(path));
  let stamp = stampOf(path);
  let lookedAt = now();

  const lookAgain = () => {
    lookedAt = now();
    const current = stampOf(path);
    if (current === stamp) return;
    stamp = current;
    try {
      keys = byHash(readKeysFile(path), keys);
      log.info('the file of keys was read again', { file: path, keys: keys.size });
    } catch (error) {
      log.error('the file of keys can not be used; the keys from before still hold', { error: messageOf(error) });
    }
  };

  return {
    required: true,
    // The hash is looked up, not the key: a guess that is nearly right has another hash, so the duration reveals nothing.
    find(given) {
      if (now() - lookedAt > LOOK_MS) lookAgain();
      return keys.get(hashOf(given));
    },
    named(name) {
      if (now() - lookedAt > LOOK_MS) lookAgain();
      return [...keys.values()].find((key) => key.name === name);
    },
  };
}

/** Returns keys that are valid if they are in either set. */
export function joinKeys(first: ApiKeys, second: ApiKeys): ApiKeys {
  return {
    required: first.required || second.required,
    find: (given) => first.find(given) ?? second.find(given),
    named: (name) => first.named(name) ?? second.named(name),
  };
}

/** Unchanged keys stay the same objects, because the use of their limits is counted by object. */
function byHash(stored: StoredKey[], before: Map<string, ApiKey> = new Map()): Map<string, ApiKey> {
  return new Map(
    stored.map((each) => {
      const key = toApiKey(each);
      const known = before.get(each.sha256);
      const same = known && JSON.stringify(known) === JSON.stringify(key);
      return [each.sha256, same ? known : key];
    }),
  );
}

function toApiKey({ name, models, manages = false, priority = 0, ...stored }: StoredKey): ApiKey {
  const { requestsPerMinute = null, tokensPerMinute = null, concurrency = null } = stored;
  const limits = { requestsPerMinute, tokensPerMinute, concurrency };
  const limited = Object.values(limits).some((limit) => limit !== null);
  return { name, models: models ?? null, manages, priority, limits: limited ? limits : null };
}

/** Returns a text that changes whenever the file does; empty if there is no file. */
function stampOf(path: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return `${mtimeMs} ${size} ${ino}`;
  } catch {
    return '';
  }
}
