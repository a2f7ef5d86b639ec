import { JSON_TYPES } from '../../contract/json-schema.ts';
import type { MemberMarks, Tool } from './format.ts';
import { literalEnd } from './python-literal.ts';
import { passMarkedText, passQuoted } from './quoted-reader.ts';
import { consume, type Input, type Reading, takeBeforeAny, takeMark } from './reading.ts';
import { memberTypes, valueToJson } from './xml-arguments.ts';

type Pass = (json: string) => void;

/**
 * Reads the members of a call that a grammar forces, up to the text after them, and passes them on as the JSON text of
 * an object. A value that can only be text is passed on as it comes. Returns true if the object is complete.
 */
export function* passMembers(
  input: Input,
  marks: MemberMarks,
  after: string,
  tool: Tool | undefined,
  pass: Pass,
): Reading<boolean> {
  pass('{');
  for (let count = 0; ; count++) {
    if (yield* comesNext(input, after)) {
      pass('}');
      return true;
    }
    if (count > 0 && !(yield* takeMark(input, marks.separator))) return false;
    if (!(yield* takeMark(input, marks.key))) return false;
    if (!(yield* passMember(input, marks, tool, pass, count > 0 ? ', ' : ''))) return false;
  }
}

/** True if the text comes next. It is not read yet. */
function* comesNext(input: Input, text: string): Reading<boolean> {
  while (!input.ended && input.rest.length < text.length && text.startsWith(input.rest)) yield;
  return input.rest.startsWith(text);
}

function* passMember(
  input: Input,
  marks: MemberMarks,
  tool: Tool | undefined,
  pass: Pass,
  lead: string,
): Reading<boolean> {
  const others = JSON_TYPES.map((type) => marks.other(type));
  const between = [...new Set([marks.text, ...others])];
  const name = yield* takeBeforeAny(input, between);
  if (name === undefined) return false;
  const mark = between.find((one) => input.rest.startsWith(one)) ?? '';
  consume(input, mark.length);
  pass(`${lead}${JSON.stringify(name)}: `);
  if (marks.quote !== undefined) return yield* passQuoted(input, marks.quote, pass);
  if (marks.isQuoted) return yield* passLiteral(input, pass);
  const types = memberTypes(tool, name);
  const isMarkedText = mark === marks.text && !others.includes(mark);
  const isText = isMarkedText || (types.size === 1 && types.has('string'));
  const end = marks.end(name);
  if (isText) return yield* passMarkedText(input, end, pass);
  const text = yield* takeBeforeAny(input, [end]);
  if (text === undefined) return false;
  consume(input, end.length);
  pass(mark === marks.text ? valueToJson(text, types.size > 0 ? { type: [...types] } : undefined) : text);
  return true;
}

/** Passes a JSON value on once it is complete. It ends before a comma or a bracket. */
function* passLiteral(input: Input, pass: Pass): Reading<boolean> {
  for (;;) {
    const end = literalEnd(input.rest, 0);
    if (end < input.rest.length) {
      pass(consume(input, end));
      return true;
    }
    if (input.ended) return false;
    yield;
  }
}
