import { cpus, totalmem } from 'node:os';
import { usableCores } from '../../engine/node/cores.ts';
import { version } from '../version.ts';

/** Describes the machine that a measurement is valid for: processor, cores, memory, and the version of Paddock. */
export function describeMachine(): string {
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus()[0]?.model.trim() ?? 'unknown'}, ${usableCores().count} cores, ${memory} GiB, Paddock ${version}`;
}
