/** Writes one line to standard output. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints counts by name, the largest first. */
export function printCounts(title: string, counts: ReadonlyMap<string, number>): void {
  print(`${title}:`);
  for (const [name, count] of [...counts].sort(([, a], [, b]) => b - a))
    print(`  ${String(count).padStart(8)}  ${name}`);
}

/** Adds one to a count. */
export function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Reads `--name 12` as a whole number of at least `least`. Throws with the flag's name. */
export function readNumber(flag: string, value: string, least: number): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < least)
    throw new Error(`--${flag} must be a whole number of at least ${least}`);
  return number;
}
