import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { BackendName } from '../../contract/engine-info.ts';
import { KV_TYPES, type KvType } from '../../engine/engine.ts';
import { llamaPackageFile } from '../../engine/node/llama-package.ts';
import { type StampedFiles, stampOf } from '../../engine/node/stamp.ts';

/** Must be raised when this version of Paddock can't read copies of the versions before. */
const FORMAT = 1;

/**
 * Returns the hash of everything that a state depends on: the model's files (by `stampOf`), the engine's version, the backend and the
 * format of the KV cache. Engines
 * load only states of their own identity.
 */
export function stateIdentityOf(stamp: string, backend: BackendName, kvType: KvType = 'f16'): string {
  const facts = JSON.stringify([FORMAT, engineVersion(), backend, stamp, ...(kvType === 'f16' ? [] : [kvType])]);
  return createHash('sha256').update(facts).digest('hex').slice(0, 32);
}

/**
 * Returns the identities that are valid for a model's files now, one for each native backend and format of the KV cache;
 * none if the files are missing.
 */
export function identitiesOf(source: StampedFiles): string[] {
  const stamp = stampOf(source);
  if (stamp === null) return [];
  return KV_TYPES.flatMap((kvType) => [stateIdentityOf(stamp, 'cpu', kvType), stateIdentityOf(stamp, 'gpu', kvType)]);
}

let version: string | undefined;

/** Returns the version of node-llama-cpp from its package.json, since importing the package would load native code. */
function engineVersion(): string {
  if (version === undefined) {
    version = String(
      (JSON.parse(readFileSync(llamaPackageFile('package.json'), 'utf8')) as { version: unknown }).version,
    );
  }
  return version;
}
