/** Writes a number of parameters as model names do: "494M", "7.6B", "15B". */
export function sizeLabel(parameters: number): string {
  const [unit, suffix] =
    parameters >= 1e12 ? [1e12, 'T'] : parameters >= 1e9 ? [1e9, 'B'] : parameters >= 1e6 ? [1e6, 'M'] : [1e3, 'K'];
  const amount = parameters / Number(unit);
  return `${amount < 10 ? Number(amount.toFixed(1)) : Math.round(amount)}${suffix}`;
}
