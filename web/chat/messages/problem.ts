import { inEnglish, type Key, type Said, say, type Translate, type Values } from './translate.ts';

/** What is wrong, for people. Whoever shows it puts it into the language of the page; `message` is in English. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly said: Said;

  constructor(key: Key, values?: Values) {
    super(inEnglish(key, values));
    this.said = { key, values };
  }
}

/** Says what was thrown, for people. */
export function problemText(error: unknown, t: Translate): string {
  if (error instanceof Problem) return say(error.said, t);
  return error instanceof Error ? error.message : String(error);
}
