/** Returns the expected number of tokens from one pass: one, and the guesses before the first wrong one. */
export function expectedTokens(share: number, length: number): number {
  let tokens = 1;
  for (let place = 1; place <= length; place++) tokens += share ** place;
  return tokens;
}
