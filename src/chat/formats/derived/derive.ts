import { jsonAround, jsonAt } from './find-json.ts';
import { PROBE_IDS, PROBE_TOOLS, type Probe, type ProbeCall } from './probe.ts';
import { type CallShape, fillHoles, HOLES, type JsonCall } from './shape.ts';
import { commonEnd, commonStart, splitAt } from './texts.ts';

/** Two calls, each with two arguments that are text. */
const CALLS: [ProbeCall, ProbeCall] = [
  { name: PROBE_TOOLS[0], arguments: { zqkeya: 'zqvala', zqkeyb: 'zqvalb' } },
  { name: PROBE_TOOLS[1], arguments: { zqkeyc: 'zqvalc', zqkeyd: 'zqvald' } },
];
const WITHOUT_ARGUMENTS: ProbeCall = { name: PROBE_TOOLS[0], arguments: {} };
/** Stands for arguments that were found as JSON. */
const OBJECT = '\u{E01F}';

/** Calls, and the text that a template writes for them. */
export interface Sample {
  calls: readonly ProbeCall[];
  text: string;
  /** True if the template got the arguments as JSON text. */
  textArguments: boolean;
}

/** Returns calls as a template writes them: two in one message, or one if the template takes no more. */
export function createSample(probe: Probe): Sample | undefined {
  const one = probe.reply({ calls: [CALLS[0]] });
  if (!one?.includes(CALLS[0].name)) return undefined;
  const { strip, end } = deriveSurroundings(probe);
  const text = withoutEnd(strip(probe.reply({ calls: CALLS }) ?? one), end);
  const { textArguments } = probe;
  return { text, calls: text.includes(CALLS[1].name) ? CALLS : [CALLS[0]], textArguments };
}

/** Returns how a template writes calls; undefined if its text shows no shape. */
export function deriveShape(probe: Probe): CallShape | undefined {
  const one = probe.reply({ calls: [CALLS[0]] });
  if (!one?.includes(CALLS[0].name)) return undefined;
  const surroundings = deriveSurroundings(probe);
  const text = surroundings.strip(probe.reply({ calls: CALLS }) ?? one).replaceAll(PROBE_IDS, HOLES.id);
  const isParallel = text.includes(CALLS[1].name);
  const calls = isParallel ? CALLS : [CALLS[0]];
  const whole = wholeJson(surroundings.strip(one), CALLS[0], surroundings.end);
  return deriveJson(text, calls, whole, surroundings.end) ?? deriveTagged(probe, text, isParallel, surroundings);
}

interface Surroundings {
  /** The text after the content of a reply without calls: the end of the message. */
  end: string;
  /** Removes from a reply what the template also writes before plain content, such as an empty block of thoughts. */
  strip(text: string): string;
}

function deriveSurroundings(probe: Probe): Surroundings {
  const [before = '', end = ''] = splitAt(probe.reply({ content: 'zqcontent' }) ?? '', ['zqcontent']) ?? [];
  const thoughts = /^\s*(?:<(\|?\w*think\w*\|?)>\s*)?<\|?\/?[\w:]*(?:think|THINKING)[\w:]*\|?>\s*/i;
  return {
    end,
    strip: (text) => {
      const rest = text.startsWith(before) ? text.slice(before.length) : text;
      return rest.replace(thoughts, '');
    },
  };
}

/** Derives the shape of calls whose arguments are JSON. */
function deriveJson(
  text: string,
  calls: readonly ProbeCall[],
  whole: JsonCall | undefined,
  end: string,
): CallShape | undefined {
  const marked = markArguments(text, calls);
  const parts =
    marked &&
    splitAt(
      marked,
      calls.flatMap(({ name }) => [name, OBJECT]),
    );
  if (!parts) return undefined;
  const [start = '', between = '', middle = ''] = parts;
  const isParallel = calls.length > 1;
  const edges = splitEdges(start, isParallel ? middle : undefined, parts.at(-1) ?? '', end);
  const same = sameWithNumbers(between, isParallel ? (parts[3] ?? '') : between);
  if (same === undefined) return undefined;
  return { ...edges, arguments: { kind: 'json', between: same, ...(whole && { json: whole }) } };
}

/** Returns the JSON around the name of a call, if the text of the call is JSON. */
function wholeJson(text: string, call: ProbeCall, end: string): JsonCall | undefined {
  const at = text.indexOf(call.name);
  const found = jsonAround(text, at, at + call.name.length);
  const keys = found && findKeys(found.value, call);
  return keys && { open: text.slice(0, found.begin), close: withoutEnd(text.slice(found.end), end), ...keys };
}

/** Finds the keys of the name and of the arguments in JSON. */
function findKeys(value: unknown, call: ProbeCall): Pick<JsonCall, 'nameKey' | 'argumentsKey'> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const members = Object.entries(value);
  const nameKey = members.find(([, member]) => member === call.name)?.[0];
  const argumentsKey = members.find(([, member]) => equals(member, call.arguments))?.[0];
  if (argumentsKey === call.name) return { nameKey: null, argumentsKey: null };
  if (nameKey !== undefined && argumentsKey !== undefined) return { nameKey, argumentsKey };
  for (const [, member] of members) {
    const found = findKeys(member, call);
    if (found) return found;
  }
  return undefined;
}

function equals(some: unknown, other: unknown): boolean {
  return JSON.stringify(some) === JSON.stringify(other);
}

/** Replaces the arguments of each call by `OBJECT`. Undefined if they are not JSON objects. */
function markArguments(text: string, calls: readonly ProbeCall[]): string | undefined {
  let marked = text;
  for (const { arguments: members } of calls) {
    const key = marked.indexOf(`"${Object.keys(members)[0]}"`);
    const found = key < 0 ? undefined : jsonAt(marked, marked.lastIndexOf('{', key));
    if (!found || !equals(found.value, members)) return undefined;
    marked = marked.slice(0, found.begin) + OBJECT + marked.slice(found.end);
  }
  return marked;
}

/** Splits the texts around calls: those before the first, between two and after the last. */
function splitEdges(
  start: string,
  middle: string | undefined,
  rest: string,
  end: string,
): Omit<CallShape, 'arguments'> {
  if (middle === undefined) return { open: '', separator: '', close: '', before: start, after: withoutEnd(rest, end) };
  const after = commonStart(middle, rest);
  const shared = commonEnd(start, middle);
  const before = shared.slice(Math.max(0, shared.length - (middle.length - after.length)));
  return {
    open: start.slice(0, start.length - before.length),
    separator: middle.slice(after.length, middle.length - before.length),
    close: withoutEnd(rest.slice(after.length), end),
    before,
    after,
  };
}

/** Matches a mark that ends a message at the end of a text. */
const END_OF_MESSAGE = /\s*<[^<>]*(?:eo[mst]|end[_▁ ]of)[^<>]*>\s*$/i;

/** Removes the end of the message from a text. */
function withoutEnd(text: string, end: string): string {
  const at = end.trim() === '' ? -1 : text.indexOf(end.trim());
  const rest = at >= 0 ? text.slice(0, at) : text.slice(0, text.length - commonEnd(text, end).length);
  return rest.replace(END_OF_MESSAGE, '');
}

/** Returns a text that both are, with a hole in the place of the number of the call. Undefined if there is none. */
function sameWithNumbers(first: string, second: string): string | undefined {
  if (first === second) return first;
  for (const [hole, begin] of [
    [HOLES.fromZero, 0],
    [HOLES.fromOne, 1],
  ] as const) {
    const numbered = first.replace(String(begin), hole);
    if (numbered === second.replace(String(begin + 1), hole)) return numbered;
  }
  return undefined;
}

/** Derives the shape of calls of which each argument has its own marks. */
function deriveTagged(
  probe: Probe,
  text: string,
  isParallel: boolean,
  surroundings: Surroundings,
): CallShape | undefined {
  const calls = isParallel ? CALLS : [CALLS[0]];
  const needles = calls.flatMap(({ name, arguments: members }) => [
    name,
    ...Object.entries(members).flat().map(String),
  ]);
  const parts = splitAt(text, needles);
  const other = deriveOther(probe, surroundings);
  if (!parts || other === undefined) return undefined;
  const [start = '', toKey = '', toText = '', toNextKey = '', , toNext = ''] = parts;
  const opening = sameWithNumbers(toKey, isParallel ? (parts[6] ?? '') : toKey);
  if (opening === undefined) return undefined;
  const key = commonEnd(opening, toNextKey);
  const between = toNextKey.slice(0, toNextKey.length - key.length);
  const rest = parts.at(-1) ?? '';
  const end = commonStart(between, isParallel ? toNext : rest);
  const edges = splitEdges(start, isParallel ? toNext : undefined, rest, surroundings.end);
  if (!edges.after.startsWith(end) || end.trim() === '' || key.trim() === '') return undefined;
  const after = edges.after.slice(end.length);
  return {
    ...edges,
    after,
    arguments: {
      kind: 'tagged',
      open: opening.slice(0, opening.length - key.length),
      key,
      text: toText,
      other,
      end,
      separator: between.slice(end.length),
      none: numbered(deriveNone(probe, surroundings, after), opening.slice(0, opening.length - key.length)),
    },
  };
}

/** Returns the text with the holes that `open` has, if both are the same for the first call. */
function numbered(none: string, open: string): string {
  return fillHoles(open, 0) === none ? open : none;
}

/** Returns the text between the name and the end of a call without arguments. */
function deriveNone(probe: Probe, { strip }: Surroundings, after: string): string {
  const text = strip(probe.reply({ calls: [WITHOUT_ARGUMENTS] }) ?? '');
  const rest = splitAt(text, [WITHOUT_ARGUMENTS.name])?.[1] ?? '';
  const end = rest.indexOf(after.trim());
  const space = after.slice(0, after.length - after.trimStart().length);
  const none = rest.slice(0, Math.max(0, end));
  return none.endsWith(space) ? none.slice(0, none.length - space.length) : none;
}

/**
 * Returns the text between the name and a value that is no text. Undefined if objects are written neither as JSON nor
 * as Python.
 */
function deriveOther(probe: Probe, { strip }: Surroundings): string | undefined {
  const members = { zqkeya: 7.5, zqkeyb: { zqin: ['zqitem', 2] } };
  const text = strip(probe.reply({ calls: [{ name: CALLS[0].name, arguments: members }] }) ?? '');
  const parts = splitAt(text, [CALLS[0].name, 'zqkeya', '7.5', 'zqkeyb', 'zqin', 'zqitem']);
  if (!parts) return undefined;
  const [, , toNumber = '', , toInner = ''] = parts;
  const toObject = /^([\s\S]*)\{\s*["']$/.exec(toInner)?.[1];
  if (toObject === toNumber) return toNumber;
  const typed = toNumber.replace('number', HOLES.type);
  return toObject?.replace('object', HOLES.type) === typed ? typed : undefined;
}
