import type { Call, Tool } from './format.ts';
import { objectMembers, readJson, splitElements } from './json-reader.ts';
import { type Input, type Reading, skipSpace, take } from './reading.ts';

/** The tools that the model was shown, by name. */
export type Tools = ReadonlyMap<string, Tool>;

/**
 * Reads calls, from the mark on that they begin with. Gives undefined for what is none; then what was read is in
 * `taken`. Whether the tools exist is looked after elsewhere.
 */
export type CallReader = (input: Input, tools: Tools) => Reading<Call[] | undefined>;

/** Reads calls that are written as a JSON object or as an array of them. */
export function* readJsonCalls(input: Input): Reading<Call[] | undefined> {
  yield* skipSpace(input);
  const json = yield* readJson(input);
  return json === undefined ? undefined : toCalls(json);
}

/** Reads a JSON object that is the arguments of a call. */
export function* readJsonArguments(input: Input): Reading<string | undefined> {
  yield* skipSpace(input);
  return input.rest.startsWith('{') ? yield* readJson(input) : undefined;
}

/**
 * Reads a reply that is nothing but calls in JSON without any mark: objects one after another, an array of them, or
 * either in a Markdown fence. JSON that says something else is given up at its first member.
 */
export function* readBareCalls(input: Input, tools: Tools): Reading<Call[] | undefined> {
  if (tools.size === 0) return undefined;
  yield* skipSpace(input);
  const fenced = yield* take(input, '```');
  if (fenced) yield* take(input, 'json');
  const calls: Call[] = [];
  do {
    yield* skipSpace(input);
    if (!(yield* mayBeCall(input, tools))) return undefined;
    const some = yield* readJsonCalls(input);
    if (some === undefined) return undefined;
    calls.push(...some);
    yield* skipSpace(input);
    // Llama writes a semicolon between two calls.
    if (yield* take(input, ';')) yield* skipSpace(input);
  } while (input.rest.startsWith('{'));
  if (fenced && !(yield* take(input, '```'))) return undefined;
  yield* skipSpace(input);
  return input.rest === '' ? calls : undefined;
}

/** What a call in JSON may begin with, as long as neither the first key nor a string after it is complete. */
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

/** The calls that a valid JSON text stands for, if it does: an object or array, plain or as OpenAI has them. */
function toCalls(json: string): Call[] | undefined {
  const listed = json.startsWith('{') ? objectMembers(json).get('tool_calls') : json;
  if (!listed?.startsWith('[')) return all([toCall(json)]);
  return all(splitElements(listed).map(toCall));
}

function all(calls: (Call | undefined)[]): Call[] | undefined {
  const found = calls.filter((call) => call !== undefined);
  return found.length > 0 && found.length === calls.length ? found : undefined;
}

function toCall(json: string): Call | undefined {
  if (!json.startsWith('{')) return undefined;
  const outer = objectMembers(json);
  const inner = outer.get('function');
  const members = inner?.startsWith('{') ? objectMembers(inner) : outer;
  const name = NAME_KEYS.map((key) => members.get(key)).find((value) => value?.startsWith('"'));
  const text = toArguments(members.get('arguments') ?? members.get('parameters') ?? '{}');
  return name === undefined || text === undefined ? undefined : { name: JSON.parse(name) as string, arguments: text };
}

/** Some models give the arguments as a string of JSON, or null for none. */
function toArguments(json: string): string | undefined {
  if (json === 'null') return '{}';
  if (!json.startsWith('"')) return json.startsWith('{') ? json : undefined;
  const text = (JSON.parse(json) as string).trim();
  return text === '' ? '{}' : asObject(text);
}

/** The text if it is that of a JSON object. */
export function asObject(text: string): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  return text.trim().startsWith('{') ? text : undefined;
}
