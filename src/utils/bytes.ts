/** Writes a number of bytes for people: `4.7 GB`. The units are decimal, as disks and model hubs count. */
export function formatBytes(bytes: number): string {
  return scaleByThousands(bytes, ['B', 'kB', 'MB', 'GB', 'TB'], ' ');
}

/**
 * Writes a number with the unit that leaves less than a thousand of it, if there is one. Each unit is a thousand times
 * the one before. From the second unit on, a figure below 100 has one decimal.
 */
export function scaleByThousands(value: number, units: string[], gap: string): string {
  let rest = value;
  let unit = 0;
  // From 999.5 on, the figure would be rounded to 1000.
  while (rest >= 999.5 && unit < units.length - 1) {
    rest /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || rest >= 99.95 ? rest.toFixed(0) : rest.toFixed(1);
  return `${digits}${gap}${units[unit]}`;
}
