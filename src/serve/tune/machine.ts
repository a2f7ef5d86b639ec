import { cpus, totalmem } from 'node:os';
import { usableCores } from '../../engine/node/cores.ts';
import { version } from '../version.ts';

/** What a measurement depends on besides the model: another processor, other memory or another Paddock measures anew. */
export function describeMachine(): string {
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus()[0]?.model.trim() ?? 'unknown'}, ${usableCores().count} cores, ${memory} GiB, Paddock ${version}`;
}
