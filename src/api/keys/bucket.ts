/** An allowance that fills evenly: `perMinute` in a minute, and never holds more than that. */
export interface Bucket {
  /** What is left; below 0 after more was taken than there was. */
  left(): number;
  take(amount: number): void;
  /** Seconds until `amount` is left; 0 if it is now. */
  secondsUntil(amount: number): number;
}

const MS_A_MINUTE = 60_000;

/** @param now a clock in ms that never goes back */
export function createBucket(perMinute: number, now: () => number): Bucket {
  let level = perMinute;
  let at = now();
  const left = () => Math.min(perMinute, level + ((now() - at) * perMinute) / MS_A_MINUTE);
  return {
    left,
    take(amount) {
      level = left() - amount;
      at = now();
    },
    secondsUntil: (amount) => Math.max(0, ((amount - left()) * 60) / perMinute),
  };
}
