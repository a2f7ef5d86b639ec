/**
 * Returns the CPU time of this process so far, in ms. Unlike the clock, it does not count the work of other programs.
 */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
