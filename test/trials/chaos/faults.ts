import { copyFileSync, mkdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Dice } from '../../kit/dice.ts';
import { writeTinyModel } from '../../kit/models/tiny-model.ts';
import { cpuTicks } from '../../kit/process.ts';
import { enginePids } from '../../kit/servers/engines.ts';

/** Something that was done to the server. `at` is `performance.now()`. */
export interface Fault {
  at: number;
  name: string;
}

/** The model whose file is damaged. */
export const VICTIM = 'victim';

/** The models whose contents the victim's file has in turn. They stay as they are. */
export const CONTENTS = ['contents/first', 'contents/second'];

const SIGNALS: { weight: number; signal: NodeJS.Signals }[] = [
  { weight: 5, signal: 'SIGKILL' },
  { weight: 3, signal: 'SIGSEGV' },
  { weight: 2, signal: 'SIGABRT' },
  // The watchdog has to find out.
  { weight: 1, signal: 'SIGSTOP' },
];

/** How often the engine is hit that has worked most, and so has requests in it. Else it is any one. */
const HIT_BUSIEST = 0.6;

/** Ends one engine of the server, or stops it. Null if it has none. */
export function hitEngine(serverPid: number, dice: Dice): Fault | null {
  const pids = enginePids(serverPid);
  if (pids.length === 0) return null;
  const { signal } = dice.weighted(SIGNALS);
  try {
    // Nobody would notice that an idle one is stopped.
    const busiest = signal === 'SIGSTOP' || dice.chance(HIT_BUSIEST);
    process.kill(busiest ? busiestOf(pids) : dice.pick(pids), signal);
  } catch {
    // It died in this moment.
    return null;
  }
  return { at: performance.now(), name: signal };
}

function busiestOf(pids: number[]): number {
  return pids.reduce((busiest, pid) => (cpuTicks(pid) > cpuTicks(busiest) ? pid : busiest));
}

/** The file of a model, with what can happen to it. */
export interface VictimFile {
  /** Gives the file one of its contents in one step, as a careful writer does. */
  replace(content: number): void;
  /** Does one thing to the file, and tells which. `restore` undoes it. */
  damage(dice: Dice): Fault;
}

export function createVictim(models: string, aside: string): VictimFile {
  const path = join(models, `${VICTIM}.gguf`);
  mkdirSync(join(models, 'contents'));
  const sources = CONTENTS.map((id, index) => {
    const file = join(models, `${id}.gguf`);
    writeTinyModel(file, { seed: 3 + index });
    return file;
  });
  const replace = (content: number) => {
    const next = join(aside, 'next.gguf');
    copyFileSync(sources[content % sources.length] ?? '', next);
    renameSync(next, path);
  };
  const damages: { name: string; run: (dice: Dice) => void }[] = [
    { name: 'file truncated', run: (dice) => truncateSync(path, dice.below(statSync(path).size)) },
    { name: 'file replaced', run: (dice) => replace(dice.below(2)) },
    { name: 'file overwritten', run: (dice) => copyFileSync(dice.pick(sources), path) },
    { name: 'file removed', run: () => rmSync(path) },
  ];
  return {
    replace,
    damage(dice) {
      const { name, run } = dice.pick(damages);
      run(dice);
      return { at: performance.now(), name };
    },
  };
}
