import type { FunctionCall, Tool } from './format.ts';
import { objectMembers, readJson, splitElements } from './json-reader.ts';
import { type Input, type Reading, skipSpace, takeMark } from './reading.ts';

/** The tools that the model was shown, by name. */
export type Tools = ReadonlyMap<string, Tool>;

/**
 * Reads calls, starting with their mark. Returns undefined if the text is not a call; `taken` then has what was read.
 * Does not check that the tools exist: the caller does.
 */
export type CallReader = (input: Input, tools: Tools) => Reading<FunctionCall[] | undefined>;

/** Reads calls that are written as a JSON object or as an array of objects. */
export function* readJsonCalls(input: Input): Reading<FunctionCall[] | undefined> {
  yield* skipSpace(input);
  const json = yield* readJson(input);
  return json === undefined ? undefined : toCalls(json);
}

/** Reads the arguments of a call, a JSON object. Returns undefined if there is none. */
export function* readJsonArguments(input: Input): Reading<string | undefined> {
  yield* skipSpace(input);
  return input.rest.startsWith('{') ? yield* readJson(input) : undefined;
}

/**
 * Reads a reply that consists of calls in JSON without a mark: objects one after another, an array of objects, or
 * either in a Markdown fence. Stops at the first member if that shows that the JSON is not a call.
 */
export function* readBareCalls(input: Input, tools: Tools): Reading<FunctionCall[] | undefined> {
  if (tools.size === 0) return undefined;
  yield* skipSpace(input);
  const fenced = yield* takeMark(input, '```');
  if (fenced) yield* takeMark(input, 'json');
  const calls: FunctionCall[] = [];
  do {
    yield* skipSpace(input);
    if (!(yield* mayBeCall(input, tools))) return undefined;
    const some = yield* readJsonCalls(input);
    if (some === undefined) return undefined;
    calls.push(...some);
    yield* skipSpace(input);
    // Llama writes a semicolon between two calls.
    if (yield* takeMark(input, ';')) yield* skipSpace(input);
  } while (input.rest.startsWith('{'));
  if (fenced && !(yield* takeMark(input, '```'))) return undefined;
  yield* skipSpace(input);
  return input.rest === '' ? calls : undefined;
}

/** Matches the beginning of a call while its first key, or the string after that key, is still incomplete. */
const BEGINNING = /^(?:\[\s*)?(?:\{\s*(?:"[^"]*(?:"\s*(?::\s*(?:"[^"]*)?)?)?)?)?$/;
const FIRST_MEMBER = /^(?:\[\s*)?\{\s*"([^"]*)"\s*:\s*(?:"([^"]*)")?/;
const NAME_KEYS = ['name', 'function', 'tool_name'];
const OTHER_KEYS = ['type', 'id', 'tool_call_id', 'arguments', 'parameters', 'tool_calls'];

function* mayBeCall(input: Input, tools: Tools): Reading<boolean> {
  while (!input.ended && BEGINNING.test(input.rest)) yield;
  const [, key = '', value] = FIRST_MEMBER.exec(input.rest) ?? [];
  if (NAME_KEYS.includes(key)) return value === undefined || tools.has(value);
  return OTHER_KEYS.includes(key);
}

/** Turns valid JSON into calls: an object or an array, plain or in OpenAI's form. Undefined if it is anything else. */
function toCalls(json: string): FunctionCall[] | undefined {
  const listed = json.startsWith('{') ? objectMembers(json).get('tool_calls') : json;
  if (!listed?.startsWith('[')) return all([toCall(json)]);
  return all(splitElements(listed).map(toCall));
}

function all(calls: (FunctionCall | undefined)[]): FunctionCall[] | undefined {
  const found = calls.filter((call) => call !== undefined);
  return found.length > 0 && found.length === calls.length ? found : undefined;
}

function toCall(json: string): FunctionCall | undefined {
  if (!json.startsWith('{')) return undefined;
  const outer = objectMembers(json);
  const inner = outer.get('function');
  const members = inner?.startsWith('{') ? objectMembers(inner) : outer;
  const name = NAME_KEYS.map((key) => members.get(key)).find((value) => value?.startsWith('"'));
  const text = toArguments(members.get('arguments') ?? members.get('parameters') ?? '{}');
  return name === undefined || text === undefined ? undefined : { name: JSON.parse(name) as string, arguments: text };
}

/** Some models write the arguments as a string of JSON, or null for no arguments. */
function toArguments(json: string): string | undefined {
  if (json === 'null') return '{}';
  if (!json.startsWith('"')) return json.startsWith('{') ? json : undefined;
  const text = (JSON.parse(json) as string).trim();
  return text === '' ? '{}' : asObject(text);
}

/** Returns the text if it is a JSON object, else undefined. */
export function asObject(text: string): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  return text.trim().startsWith('{') ? text : undefined;
}
