/** A part of a recording, in seconds. */
export interface Window {
  from: number;
  to: number;
}

/**
 * The longest part of a recording that a model gets at once, in seconds. Whisper's encoder, which models that hear are built on, takes 30
 * s at a time. A part of 30 s may have a few samples more once its rate is converted, and would be encoded as two.
 */
export const WINDOW_SECONDS = 29;

/** How much of a part is in the next part too, in seconds: a word that the end of a part cuts is whole in the next. */
export const OVERLAP_SECONDS = 2;

/** Returns the parts of a recording, each of which begins before the end of the part before. */
export function windowsOf(seconds: number): Window[] {
  const windows = [{ from: 0, to: Math.min(seconds, WINDOW_SECONDS) }];
  for (let from = WINDOW_SECONDS - OVERLAP_SECONDS; from + OVERLAP_SECONDS < seconds; ) {
    windows.push({ from, to: Math.min(seconds, from + WINDOW_SECONDS) });
    from += WINDOW_SECONDS - OVERLAP_SECONDS;
  }
  return windows;
}
