/** The longest name of a tool that OpenAI's API allows. */
const LONGEST_NAME = 64;

/** Returns a valid name of a tool, of letters, digits, `_` and `-`, with a number if the name is taken. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  const plain = name.replace(/[^\w-]/g, '_').slice(0, LONGEST_NAME) || 'tool';
  if (!taken.has(plain)) return plain;
  for (let number = 2; ; number += 1) {
    const numbered = `${plain.slice(0, LONGEST_NAME - String(number).length - 1)}_${number}`;
    if (!taken.has(numbered)) return numbered;
  }
}
