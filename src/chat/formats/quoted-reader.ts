import { beginningAtEnd } from '../../utils/beginning-at-end.ts';
import { consume, type Input, type Reading, skipSpace, takeMark, takeUpTo } from './reading.ts';

type Pass = (json: string) => void;

/**
 * Reads a value whose texts stand between two `quote` marks, and whose names have no quotes, and passes it on as JSON.
 * Parts of it may be JSON. A value that is no text, object or array ends before a comma or a bracket. Returns true if the
 * value is complete.
 */
export function* passQuoted(input: Input, quote: string, pass: Pass): Reading<boolean> {
  yield* skipSpace(input);
  if (yield* takeMark(input, quote)) return yield* passMarkedText(input, quote, pass);
  const [first = ''] = input.rest;
  if (first === '"') return yield* passString(input, pass);
  return '{['.includes(first) ? yield* passContainer(input, quote, pass) : yield* passWord(input, pass);
}

/** Reads an object or an array. */
function* passContainer(input: Input, quote: string, pass: Pass): Reading<boolean> {
  const isObject = input.rest.startsWith('{');
  pass(consume(input, 1));
  for (;;) {
    yield* skipSpace(input);
    const [first = ''] = input.rest;
    if (first === '') return false;
    if ('}],'.includes(first)) {
      pass(consume(input, 1));
      if (first !== ',') return true;
    } else if ((isObject && !(yield* passName(input, pass))) || !(yield* passQuoted(input, quote, pass))) return false;
  }
}

/** Reads a text up to its end mark, and passes it on as a JSON string as it comes. */
export function* passMarkedText(input: Input, end: string, pass: Pass): Reading<boolean> {
  pass('"');
  for (;;) {
    const at = input.rest.indexOf(end);
    // The last characters may be the beginning of the mark. A reply that ends there ends in the mark.
    const most = at >= 0 ? at : input.rest.length - beginningAtEnd(input.rest, end);
    // Half a character is not passed on.
    const length = /[\uD800-\uDBFF]/.test(input.rest.charAt(most - 1)) ? most - 1 : most;
    pass(JSON.stringify(consume(input, length)).slice(1, -1));
    if (at >= 0) {
      consume(input, end.length);
      pass('"');
      return true;
    }
    if (input.ended) {
      consume(input, input.rest.length);
      return false;
    }
    yield;
  }
}

/** Reads a name, with quotes or without, and its colon. */
function* passName(input: Input, pass: Pass): Reading<boolean> {
  const isString = input.rest.startsWith('"');
  if (isString && !(yield* passString(input, pass))) return false;
  const name = yield* takeUpTo(input, ':');
  if (name === undefined) return false;
  pass(isString ? ': ' : `${JSON.stringify(name)}: `);
  return true;
}

/** Reads a JSON string. */
function* passString(input: Input, pass: Pass): Reading<boolean> {
  for (;;) {
    const [string] = /^"(?:[^"\\]|\\[\s\S])*"/.exec(input.rest) ?? [];
    if (string !== undefined) {
      pass(consume(input, string.length));
      return true;
    }
    if (input.ended) return false;
    yield;
  }
}

/** Reads a number or a word of JSON, which ends before a mark. */
function* passWord(input: Input, pass: Pass): Reading<boolean> {
  for (;;) {
    const length = input.rest.search(/[,}\] ]/);
    if (length >= 0) {
      pass(consume(input, length));
      return length > 0;
    }
    if (input.ended) return false;
    yield;
  }
}
