import type { Refuse } from '../schema/refuse.ts';
import { TEXT_FORMATS } from '../text/formats.ts';
import { readPattern } from '../text/pattern.ts';
import type { TextTree } from '../text/text-tree.ts';
import type { Subject } from './subject.ts';
import { matchesText } from './text-match.ts';

/** Most characters of a pattern in a message. */
const MAX_QUOTED = 200;

/** Checks `pattern` and `format`. */
export interface TextCheck {
  (subject: Subject): boolean;
  /** True if a pattern is found in a text. */
  matches(pattern: string, text: string): boolean;
}

/** Makes the check of texts. It reads each pattern once. */
export function createTextCheck(refuse: Refuse, spend: () => void): TextCheck {
  const trees = new Map<string, TextTree>();

  function matches(pattern: string, text: string): boolean {
    const tree = trees.get(pattern) ?? readPattern(pattern, (reason) => refuse('#', 'pattern', reason));
    trees.set(pattern, tree);
    return matchesText(tree, text, spend);
  }

  function hasFormat(name: string, text: string): boolean {
    const { isValid, written } = TEXT_FORMATS.get(name) ?? {};
    return isValid?.(text) ?? (written === undefined || matchesText(written, text, spend));
  }

  function checkText({ schema: { pattern, format }, value, must }: Subject): boolean {
    if (typeof value !== 'string') return true;
    if (pattern !== undefined)
      return must(matches(String(pattern), value), 'pattern', `must match ${String(pattern).slice(0, MAX_QUOTED)}`);
    return format === undefined || must(hasFormat(String(format), value), 'format', `must have the format ${format}`);
  }

  return Object.assign(checkText, { matches });
}
