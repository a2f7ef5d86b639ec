import type { Log } from '../../contract/log.ts';
import type { EngineProcess } from './engine-process.ts';

/** How often to look, in ms. */
const LOOK_MS = 1000;
/** The event loop of an engine's process speaks every second, whatever native code does; silence for so long means that it is stuck. In ms. */
const SILENCE_MS = 30_000;
/** The shortest time for which a step may take without being suspicious, in ms. */
const LEAST_STEP_MS = 60_000;
/** A step that takes this many times as long as the longest step so far is stuck: its work does not explain it. */
const STEP_FACTOR = 20;

/** What the watchdog knows of an engine. Times are on one clock, in ms. */
export interface EngineSigns {
  /** When anything was last heard of the process. */
  heardAt: number;
  /** When it last said anything of a call, or the first call of now was opened; null while there are none. */
  steppedAt: number | null;
  /** The longest time between two such signs so far. */
  longestStepMs: number;
}

/** Notes that the process has said something, and whether that was of a call. */
export function noteSign(signs: EngineSigns, now: number, ofCall: boolean): void {
  signs.heardAt = now;
  if (!ofCall || signs.steppedAt === null) return;
  signs.longestStepMs = Math.max(signs.longestStepMs, now - signs.steppedAt);
  signs.steppedAt = now;
}

/** Why an engine counts as stuck; null while it does not. */
export function diagnose(now: number, { heardAt, steppedAt, longestStepMs }: EngineSigns): string | null {
  if (now - heardAt > SILENCE_MS) return `it has said nothing for ${Math.round((now - heardAt) / 1000)} s`;
  const limit = Math.max(LEAST_STEP_MS, STEP_FACTOR * longestStepMs);
  if (steppedAt !== null && now - steppedAt > limit) {
    return `it has not stepped for ${Math.round((now - steppedAt) / 1000)} s; its longest step took ${Math.round(longestStepMs)} ms`;
  }
  return null;
}

/** Ends a process that is stuck; those who wait for it are taken up by the next. Returns the end of the watch. */
export function watchEngine(engine: EngineProcess, signs: EngineSigns, log: Log, onStuck: () => void): () => void {
  const timer = setInterval(() => {
    const reason = diagnose(performance.now(), signs);
    if (reason === null) return;
    log.error('the engine is stuck and is replaced', { pid: engine.pid, reason });
    onStuck();
    engine.kill();
  }, LOOK_MS).unref();
  return () => clearInterval(timer);
}
