import { sayTuning, type Tuning } from '../../serve/tune/tunings.ts';
import type { Finding } from './finding.ts';

/** Returns the results of `paddock tune` on this machine as a finding. */
export function checkTunings(tunings: Tuning[], machine: string): Finding {
  const here = tunings.filter((tuning) => tuning.machine === machine);
  const detail =
    here.length === 0
      ? 'nothing yet; paddock tune measures what suits a model here'
      : here.map((tuning) => `${tuning.model} on ${tuning.backend}: ${sayTuning(tuning)} (${tuning.date})`).join('; ');
  return { id: 'tunings', title: 'tuned', status: 'info', detail };
}
