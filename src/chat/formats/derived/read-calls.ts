import { asObject, type CallReader, readJsonArguments, readJsonCalls, type Tools } from '../calls.ts';
import type { FunctionCall } from '../format.ts';
import { objectMembers, readJson, splitElements } from '../json-reader.ts';
import { consume, type Input, type Reading, skipSpace, takeBeforeAny, takeMark, takeUpTo } from '../reading.ts';
import { toArgumentsJson } from '../xml-arguments.ts';
import { type CallShape, HOLE, type JsonCall, type TaggedArguments } from './shape.ts';

/** A reader of calls, with the mark that they begin with. */
interface MarkedReader {
  mark: string;
  read: CallReader;
}

/** Returns the readers of calls in a shape, each with the mark that its calls begin with. */
export function callReaders(shape: CallShape): MarkedReader[] {
  const { arguments: form } = shape;
  if (form.kind === 'json' && form.json) {
    const mark = form.json.open.trim();
    return mark === '' ? [] : [{ mark, read: wholeJsonReader(form.json, mark) }];
  }
  // The next call of the same section begins with the mark of a call.
  const call = firstToken(shape.before);
  const section = firstToken(shape.open);
  const read = markedReader(shape);
  const marks = section === undefined || call?.startsWith(section) ? [call] : [section, call];
  return marks.flatMap((mark) => (mark === undefined ? [] : [{ mark, read }]));
}

/** Reads calls that are JSON as a whole: an object, an array of objects, or several of them. */
function wholeJsonReader(json: JsonCall, mark: string): CallReader {
  const closing = tokens(json.close);
  return function* (input) {
    yield* takeMark(input, mark);
    const calls: FunctionCall[] = [];
    do {
      const some = yield* readJsonWithKeys(input, json);
      if (some === undefined) return undefined;
      calls.push(...some);
      yield* skipSpace(input);
    } while (input.rest.startsWith('{'));
    yield* takeTokensAtEnd(input, closing);
    return calls;
  };
}

function* readJsonWithKeys(input: Input, { nameKey, argumentsKey }: JsonCall): ReturnType<CallReader> {
  yield* skipSpace(input);
  const usual =
    nameKey !== null &&
    /^(?:tool_)?name$|^function$/.test(nameKey) &&
    /^(?:arguments|parameters)$/.test(argumentsKey ?? '');
  if (usual) return yield* readJsonCalls(input);
  const text = yield* readJson(input);
  if (text === undefined) return undefined;
  const calls = (text.startsWith('[') ? splitElements(text) : [text]).map((element) =>
    keyedCall(element, nameKey, argumentsKey),
  );
  const found = calls.filter((call) => call !== undefined);
  return found.length > 0 && found.length === calls.length ? found : undefined;
}

function keyedCall(json: string, nameKey: string | null, argumentsKey: string | null): FunctionCall | undefined {
  if (!json.startsWith('{')) return undefined;
  const members = objectMembers(json);
  if (nameKey === null) {
    const [name, value] = [...members][0] ?? [];
    const text = value === undefined ? undefined : asObject(value);
    return name === undefined || text === undefined ? undefined : { name, arguments: text };
  }
  const name = members.get(nameKey);
  const text = asObject(members.get(argumentsKey ?? '') ?? '{}');
  return name?.startsWith('"') && text !== undefined
    ? { name: JSON.parse(name) as string, arguments: text }
    : undefined;
}

/** Reads one call whose name is between marks. */
function markedReader(shape: CallShape): CallReader {
  const section = tokens(shape.open);
  const closing = tokens(shape.close);
  return function* (input, tools) {
    yield* takeTokens(input, section);
    yield* skipSpace(input);
    if (!(yield* takeTokens(input, tokens(shape.before)))) return undefined;
    const call =
      shape.arguments.kind === 'json' ? yield* readJsonCall(input, shape) : yield* readTaggedCall(input, shape, tools);
    if (call === undefined) return undefined;
    yield* takeTokensAtEnd(input, closing);
    return [call];
  };
}

function* readJsonCall(input: Input, shape: CallShape): Reading<FunctionCall | undefined> {
  if (shape.arguments.kind !== 'json') return undefined;
  const between = tokens(shape.arguments.between);
  const [first = '{'] = between;
  const name = (yield* takeBeforeAny(input, [first]))?.trim();
  yield* takeTokens(input, between);
  const json = yield* readJsonArguments(input);
  if (name === undefined || json === undefined) return undefined;
  yield* takeTokensAtEnd(input, tokens(shape.after));
  return { name, arguments: json };
}

function* readTaggedCall(input: Input, shape: CallShape, tools: Tools): Reading<FunctionCall | undefined> {
  const form = shape.arguments;
  if (form.kind !== 'tagged') return undefined;
  const ends = [form.open + form.key, form.none + shape.after].map((text) => firstToken(text)?.charAt(0) ?? '');
  const name = (yield* takeBeforeAny(input, [...new Set(ends)]))?.trim();
  if (name === undefined || !tools.has(name)) return undefined;
  const texts: [string, string, boolean?][] = [];
  const [opening, none] = [tokens(form.open), tokens(form.none)];
  if (!(yield* takeTokens(input, opening))) yield* takeTokens(input, none);
  for (;;) {
    yield* skipSpace(input);
    if (!(yield* takeTokens(input, tokens(form.key)))) break;
    const argument = yield* readArgument(input, form);
    if (argument === undefined) return undefined;
    texts.push(argument);
    yield* takeTokens(input, tokens(form.separator));
  }
  if (!(yield* takeTokens(input, tokens(shape.after)))) return undefined;
  return { name, arguments: toArgumentsJson(texts, tools.get(name)) };
}

/** Reads an argument behind its mark. Returns its name and its text, and whether its marks say that it is text. */
function* readArgument(input: Input, form: TaggedArguments): Reading<[string, string, boolean?] | undefined> {
  const [toText, toOther] = [tokens(form.text), tokens(form.other)];
  const name = yield* takeBeforeAny(input, [toText[0] ?? '', toOther[0] ?? '']);
  if (name === undefined) return undefined;
  const isText = yield* takeTokens(input, toText);
  if (!isText && !(yield* takeTokens(input, toOther))) return undefined;
  const text = yield* readValue(input, form);
  if (text === undefined) return undefined;
  return form.text === form.other ? [name.trim(), text] : [name.trim(), text, isText];
}

const CDATA = ['<![CDATA[', ']]>'] as const;

/** Reads the text of a value and the mark after it. A line end that the marks have is not part of the text. */
function* readValue(input: Input, form: TaggedArguments): Reading<string | undefined> {
  if (yield* takeMark(input, CDATA[0])) {
    const text = yield* takeUpTo(input, CDATA[1]);
    yield* skipSpace(input);
    return (yield* takeMark(input, form.end.trim())) ? text : undefined;
  }
  const text = yield* takeUpTo(input, form.end.trim());
  const begun = form.text.endsWith('\n') ? text?.replace(/^\n/, '') : text;
  return form.end.startsWith('\n') ? begun?.replace(/\n$/, '') : begun;
}

/** Splits a text of a shape at space. Space between the marks of calls may differ from the template's. */
function tokens(text: string): string[] {
  return text.split(/\s+/).filter((token) => token !== '');
}

/** Returns the first mark of a text, up to a hole. */
function firstToken(text: string): string | undefined {
  return tokens(text)[0]?.split(HOLE)[0];
}

/**
 * Reads all tokens if they come next, with any space between them. Returns false, and reads nothing, if they do not.
 * A hole is any text.
 */
function* takeTokens(input: Input, expected: string[]): Reading<boolean> {
  const before = input.taken;
  for (const token of expected) {
    yield* skipSpace(input);
    if (yield* takeToken(input, token)) continue;
    const text = input.taken.slice(before.length);
    input.rest = text + input.rest;
    input.taken = before;
    return false;
  }
  return true;
}

function* takeToken(input: Input, token: string): Reading<boolean> {
  const [first = '', ...rest] = token.split(HOLE);
  if (!(yield* takeMark(input, first))) return false;
  for (const part of rest) {
    const found = yield* takeBeforeAny(input, [part]);
    if (found === undefined || found.length > 100) return false;
    consume(input, part.length);
  }
  return true;
}

/** Reads the tokens of a closing mark. A reply may end before or inside of it, and so it may be missing. */
function* takeTokensAtEnd(input: Input, expected: string[]): Reading<void> {
  for (const token of expected) {
    yield* skipSpace(input);
    if (yield* takeMark(input, token)) continue;
    if (input.ended && token.startsWith(input.rest)) consume(input, input.rest.length);
    return;
  }
}
