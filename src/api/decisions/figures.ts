import { sum } from '../../utils/sum.ts';

/** Returns the index of the highest probability, the first of several. */
export function mostLikely(probabilities: number[]): number {
  return probabilities.indexOf(Math.max(...probabilities));
}

/** Returns how far the winner is above an even share: 0 if all options are equally likely, 1 if only one is possible. */
export function choiceConfidence(probabilities: number[]): number {
  const { length } = probabilities;
  if (length < 2) return 1;
  return Math.max(0, (Math.max(...probabilities) - 1 / length) / (1 - 1 / length));
}

/** Returns the expected level, counted from 0. */
export function expectedLevel(probabilities: number[]): number {
  return sum(probabilities.map((probability, level) => level * probability));
}

/**
 * Returns how close the levels lie to the most likely one: 1 if only that level is possible; 0 if the mean distance
 * from it is at least that of an even distribution from its middle.
 */
export function scoreConfidence(probabilities: number[]): number {
  const { length } = probabilities;
  if (length < 2) return 1;
  const mode = mostLikely(probabilities);
  const distance = sum(probabilities.map((probability, level) => probability * Math.abs(level - mode)));
  const even = sum(probabilities.map((_, level) => Math.abs(level - (length - 1) / 2))) / length;
  return Math.max(0, 1 - distance / even);
}
