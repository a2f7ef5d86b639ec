import type { StarterEstimate } from '../../api/models/starter-estimates.ts';
import { starterBytes } from '../../contract/models/find-starter.ts';
import { type Colours, formatTable } from '../../serve/output.ts';
import { formatBytes } from '../../utils/bytes.ts';

/** Writes the starter models as a table for a terminal, with the recommended model marked. */
export function formatStarters(estimates: StarterEstimate[], colours: Colours): string {
  const rows = estimates.map((estimate) => {
    const { starter, memory, speed, best } = estimate;
    return [
      `${best ? '*' : ' '} ${starter.name}`,
      starter.kind,
      `${starter.exact === false ? '~' : ''}${formatBytes(starterBytes(starter))}`,
      `${formatBytes(memory)}${estimate.fit === 'too large' ? ', too large' : ''}`,
      speed ? `${speed.low}-${speed.high}` : '',
      starter.licence,
      starter.goodAt,
    ];
  });
  const head = ['  name', 'for', 'download', 'memory', 'tokens/s', 'licence', 'good at'];
  return formatTable([head, ...rows], { right: [2, 4], colours });
}

/** Explains the table, in lines of their own. */
export function explainStarters(estimates: StarterEstimate[]): string[] {
  const best = estimates.find((estimate) => estimate.best);
  return [
    ...(best
      ? [
          `* is the largest chat model that fits well into the free memory and is fast enough: paddock run ${best.starter.name}`,
        ]
      : []),
    'Memory and speed are estimates, on the CPU: from the sizes, the measured memory bandwidth and the cores.',
    'Other quantizations: paddock pull qwen3:4b-q8_0. Any other model: paddock pull hf:org/repo',
  ];
}
