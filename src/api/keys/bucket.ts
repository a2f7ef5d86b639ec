/** A token bucket: it fills evenly by `perMinute` in a minute, and never holds more than `perMinute`. */
export interface Bucket {
  /** Returns the amount that is left; below 0 if more was taken than was left. */
  left(): number;
  take(amount: number): void;
  /** Returns the seconds until `amount` is left; 0 if it is left now. */
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
