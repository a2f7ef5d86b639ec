import { messageOf } from '../../../src/utils/error-message.ts';
import { inEnglish, type MessageKey, type Said, type Translate, translateSaid, type Values } from './translate.ts';

/** An error for people. The view that shows it translates it to the language of the page; `message` is in English. */
export class LocalizedError extends Error {
  override readonly name = 'LocalizedError';
  readonly said: Said;

  constructor(key: MessageKey, values?: Values) {
    super(inEnglish(key, values));
    this.said = { key, values };
  }
}

/** Returns the message of a thrown value, in the language of `t`. */
export function problemText(error: unknown, t: Translate): string {
  if (error instanceof LocalizedError) return translateSaid(error.said, t);
  return messageOf(error);
}

/** The problems of the page's address and of its browser, which last however often it starts. */
const LASTING: readonly MessageKey[] = ['start.insecure_page', 'start.missing_features'];

/** False for a problem that a second try can't solve. */
export function mayPass(error: unknown): boolean {
  return !(error instanceof LocalizedError && LASTING.includes(error.said.key));
}
