import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { BackendName } from '../../contract/engine-info.ts';
import type { ModelSource } from '../../engine/engine.ts';
import { stampOf } from '../../engine/node/stamp.ts';

/** Changes when copies of an earlier Paddock must not be read any more. */
const FORMAT = 1;

/**
 * The hash of all that a state depends on: the model's files, by `stampOf`, the engine's version, and what computed it. No engine reads
 * a state of another identity.
 */
export function identityOf(stamp: string, backend: BackendName): string {
  const facts = JSON.stringify([FORMAT, engineVersion(), backend, stamp]);
  return createHash('sha256').update(facts).digest('hex').slice(0, 32);
}

/** The identities that a model's files can have now: one for each backend that computes natively. */
export function identitiesOf(source: Pick<ModelSource, 'files' | 'projector'>): string[] {
  const stamp = stampOf(source);
  return stamp === null ? [] : [identityOf(stamp, 'cpu'), identityOf(stamp, 'gpu')];
}

let version: string | undefined;

/** That of node-llama-cpp, whose binaries come with it. Loading the package for it would load native code. */
function engineVersion(): string {
  if (version === undefined) {
    const file = new URL('../package.json', import.meta.resolve('node-llama-cpp'));
    version = String((JSON.parse(readFileSync(file, 'utf8')) as { version: unknown }).version);
  }
  return version;
}
