import { copyFileSync, mkdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Dice } from '../../kit/dice.ts';
import { writeTinyModel } from '../../kit/models/tiny-model.ts';
import { cpuTicks } from '../../kit/process.ts';
import { enginePids } from '../../kit/servers/engines.ts';

/** A fault that the trial caused. `at` is `performance.now()`. */
export interface Fault {
  at: number;
  name: string;
}

/** The model whose file the trial damages. */
export const VICTIM = 'victim';

/** The models whose contents replace the victim's file in turn. Their own files stay unchanged. */
export const CONTENTS = ['contents/first', 'contents/second'];

const SIGNALS: { weight: number; signal: NodeJS.Signals }[] = [
  { weight: 5, signal: 'SIGKILL' },
  { weight: 3, signal: 'SIGSEGV' },
  { weight: 2, signal: 'SIGABRT' },
  // The watchdog has to notice a stopped engine.
  { weight: 1, signal: 'SIGSTOP' },
];

/**
 * How often the fault hits the engine with the most CPU time, which probably has requests; otherwise it hits a random
 * engine.
 */
const HIT_BUSIEST = 0.6;

/** Kills or stops one engine of the server. Returns null if there is none. */
export function hitEngine(serverPid: number, dice: Dice): Fault | null {
  const pids = enginePids(serverPid);
  if (pids.length === 0) return null;
  const { signal } = dice.weighted(SIGNALS);
  try {
    // A stopped engine without requests would go unnoticed.
    const busiest = signal === 'SIGSTOP' || dice.chance(HIT_BUSIEST);
    process.kill(busiest ? busiestOf(pids) : dice.pick(pids), signal);
  } catch {
    // The engine has ended meanwhile.
    return null;
  }
  return { at: performance.now(), name: signal };
}

function busiestOf(pids: number[]): number {
  return pids.reduce((busiest, pid) => (cpuTicks(pid) > cpuTicks(busiest) ? pid : busiest));
}

/** The file of a model, and the changes that the trial makes to it. */
export interface VictimFile {
  /** Replaces the file by one of its contents in one step. */
  replace(content: number): void;
  /** Damages the file in one way and returns the fault. `replace` undoes it. */
  damage(dice: Dice): Fault;
}

/**
 * Writes the models whose contents the victim gets into the models folder. `replace` then makes the victim. `aside` is
 * a folder on the same disk.
 */
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
