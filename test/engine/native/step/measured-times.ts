import { createTokenTimes } from '../../../../src/engine/native/step/pass-times.ts';

/** Times as they were measured on two cores: more tokens in a pass cost little, up to a point. */
export const onTwoCores = (tokens: number) => (tokens <= 16 ? 27 * tokens ** 0.3 : 62 + (tokens - 16) * 1.8);

export function measured(ms: (tokens: number) => number) {
  const times = createTokenTimes();
  for (const tokens of [1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 64, 128]) times.note(tokens, ms(tokens));
  return times;
}
