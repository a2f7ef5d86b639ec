import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/**
 * Runs V8's garbage collection now, which takes some ms. Call it after threads have ended: their objects are small in V8's heap but hold
 * much memory outside of it, so V8 itself would collect them late.
 */
export function collectGarbage(): void {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}
