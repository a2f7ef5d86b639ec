/** How fast a replica computes now, in tokens per ms. */
export interface Pace {
  /** Of the first prompt in the queue. */
  read: number;
  /** Of each stream that writes. */
  write: number;
}

/** The measured times that a pace follows from. */
export interface StepTimes {
  /** Returns the time of one step with this many streams, in ms. */
  stepMs: (streams: number) => number;
  msPerPromptToken: number;
}

/** Tokens of a prompt that a step takes while streams write, as in src/engine/native/step/step-plan.ts. */
const CHUNK = 128;

/** Returns the pace of a replica where `writers` streams write and `readers` prompts are still to read. */
export function paceOf(writers: number, readers: number, { stepMs, msPerPromptToken }: StepTimes): Pace {
  if (readers === 0) return { read: 0, write: 1 / stepMs(writers) };
  if (writers === 0) return { read: 1 / msPerPromptToken, write: 0 };
  const step = stepMs(writers) + CHUNK * msPerPromptToken;
  return { read: CHUNK / step, write: 1 / step };
}

/**
 * Returns a function that gives the time of a step by the number of streams, in ms. Between two measured numbers of
 * streams it follows a straight line; outside them it has the time of the nearest one.
 */
export function interpolateSteps(measured: Record<string, number>): (streams: number) => number {
  const points = Object.entries(measured)
    .map(([streams, ms]): [number, number] => [Number(streams), ms])
    .sort(([a], [b]) => a - b);
  const most = points.at(-1)?.[0] ?? 0;
  const table = Array.from({ length: most + 1 }, (_, streams) => {
    const after = Math.max(
      1,
      points.findIndex(([at]) => at >= streams),
    );
    const [x0, y0] = points[after - 1] ?? [1, 0];
    const [x1, y1] = points[after] ?? [x0 + 1, y0];
    return streams <= x0 ? y0 : y0 + ((y1 - y0) * (streams - x0)) / (x1 - x0);
  });
  return (streams) => table[Math.min(streams, most)] ?? 0;
}
