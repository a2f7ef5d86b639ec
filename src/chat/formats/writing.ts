import type { JsonType } from '../../contract/json-schema.ts';
import type { ChatFormat, FunctionCall, MemberMarks } from './format.ts';
import { objectMembers } from './json-reader.ts';

/** A grammar allows at most this many calls, so that every reply ends. */
const MAX_CALLS = 8;

/** The form of calls in prompts and grammars. A parser may read other forms as well. */
export interface CallSyntax {
  open: string;
  separator: string;
  close: string;
  /** Returns the text before and after a call's arguments. */
  call(name: string, index: number): [before: string, after: string];
  /** The marks of each argument; absent if the arguments are one JSON object. */
  members?: MemberMarks;
}

/** Makes the functions of a format that write calls. */
export function createWriter(writing: CallSyntax): Pick<ChatFormat, 'writeCalls' | 'toolGrammar' | 'members'> {
  const { open, separator, close, members } = writing;
  return {
    ...(members && { members }),
    writeCalls(calls) {
      const texts = calls.map((call, index) => writeCall(writing, call, index));
      return open + texts.join(separator) + close;
    },
    toolGrammar(tools, parallel, argumentsRule) {
      const rule = (index: number) =>
        tools
          .map((tool) => {
            const [before, after] = writing.call(tool.name, index);
            return sequence(gbnfLiteral(before), argumentsRule(tool), gbnfLiteral(after));
          })
          .join(' | ');
      const numbered = parallel && rule(0) !== rule(1);
      const count = numbered ? MAX_CALLS : 1;
      const rules = Array.from({ length: count }, (_, index) => `call-${index} ::= ${rule(index)}`);
      const more = numbered ? nested(separator) : sequence('(', gbnfLiteral(separator), `call-0 ){0,${MAX_CALLS - 1}}`);
      const root = sequence('root ::=', gbnfLiteral(open), 'call-0', parallel ? more : '', gbnfLiteral(close));
      return [root, ...rules, ''].join('\n');
    },
  };
}

function writeCall(writing: CallSyntax, call: FunctionCall, index: number): string {
  const [before, after] = writing.call(call.name, index);
  const text = writing.members ? writeMembers(call.arguments, writing.members) : call.arguments;
  return before + text + after;
}

/** Writes the members of an object in JSON with the marks of a format. */
function writeMembers(json: string, { key, text, other, end, separator, isQuoted, quote }: MemberMarks): string {
  const members = [...objectMembers(json)].map(([name, value]) => {
    const parsed: unknown = JSON.parse(value);
    if (quote !== undefined) return key + name + text + quotedText(parsed, quote);
    const written = typeof parsed === 'string' && !isQuoted ? parsed : value;
    return key + name + (typeof parsed === 'string' ? text : other(jsonType(parsed))) + written + end(name);
  });
  return members.join(separator);
}

/** Writes a value with `quote` around its texts and none around its names. */
function quotedText(value: unknown, quote: string): string {
  if (typeof value === 'string') return quote + value + quote;
  if (Array.isArray(value)) return `[${value.map((item) => quotedText(item, quote)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${name}:${quotedText(member, quote)}`);
  return `{${members.join(',')}}`;
}

function jsonType(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : 'object';
}

/** Writes the calls after the first, each optional, for formats that number their calls: each has its own rule. */
function nested(separator: string): string {
  let rest = '';
  for (let index = MAX_CALLS - 1; index > 0; index--) {
    rest = sequence('(', gbnfLiteral(separator), `call-${index}`, rest, ')?');
  }
  return rest;
}

function sequence(...parts: string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

/** Writes a text as a GBNF literal; the empty text as nothing. */
export function gbnfLiteral(text: string): string {
  if (text === '') return '';
  const escaped = text
    .replace(/["\\]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t');
  return `"${escaped}"`;
}
