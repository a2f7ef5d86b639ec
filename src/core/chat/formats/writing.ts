import type { Call, ChatFormat } from './format.ts';

/** More calls than these can't be forced at once, so that a reply has an end. */
const MAX_CALLS = 8;

/** How calls are written: the one form out of those that a format's parser reads that prompts and grammars use. */
export interface Writing {
  open: string;
  separator: string;
  close: string;
  /** What stands before and after a call's arguments. */
  call(name: string, index: number): [before: string, after: string];
}

/** The two parts of a format that write calls. */
export function createWriter(writing: Writing): Pick<ChatFormat, 'writeCalls' | 'toolGrammar'> {
  const { open, separator, close } = writing;
  return {
    writeCalls(calls) {
      const texts = calls.map((call, index) => writeCall(writing, call, index));
      return open + texts.join(separator) + close;
    },
    toolGrammar(tools, parallel, argumentsRule) {
      const rule = (index: number) =>
        tools
          .map((tool) => {
            const [before, after] = writing.call(tool.name, index);
            return sequence(literal(before), argumentsRule(tool), literal(after));
          })
          .join(' | ');
      const numbered = parallel && rule(0) !== rule(1);
      const count = numbered ? MAX_CALLS : 1;
      const rules = Array.from({ length: count }, (_, index) => `call-${index} ::= ${rule(index)}`);
      const more = numbered ? nested(separator) : sequence('(', literal(separator), `call-0 ){0,${MAX_CALLS - 1}}`);
      const root = sequence('root ::=', literal(open), 'call-0', parallel ? more : '', literal(close));
      return [root, ...rules, ''].join('\n');
    },
  };
}

function writeCall(writing: Writing, call: Call, index: number): string {
  const [before, after] = writing.call(call.name, index);
  return before + call.arguments + after;
}

/** Where every call carries its number, each has a rule of its own. */
function nested(separator: string): string {
  let rest = '';
  for (let index = MAX_CALLS - 1; index > 0; index--) {
    rest = sequence('(', literal(separator), `call-${index}`, rest, ')?');
  }
  return rest;
}

function sequence(...parts: string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

/** A text as GBNF writes it; none for no text. */
function literal(text: string): string {
  if (text === '') return '';
  const escaped = text
    .replace(/["\\]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t');
  return `"${escaped}"`;
}
