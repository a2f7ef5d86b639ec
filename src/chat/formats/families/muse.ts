import type { Tools } from '../calls.ts';
import { callsWrittenAs, createMessageParser } from '../define.ts';
import { callReaders } from '../derived/read-calls.ts';
import { type CallShape, HOLES } from '../derived/shape.ts';
import { shapeWriting } from '../derived/writing.ts';
import type { ChatFormat } from '../format.ts';
import { consume, type Input, passUpTo, type Reading, release, skipSpace, takeMark, takeUpTo } from '../reading.ts';
import type { DeltaCollector } from '../reply-parser.ts';

const START = '<|start|>assistant';
const MESSAGE = '<|message|>';
const NEXT = '<|eom|>';
const ENDS = [NEXT, '<|eot|>'];
const SELF = ' to=self<|message|>';

const SHAPE: CallShape = {
  open: '',
  separator: `${NEXT}${START}`,
  close: '',
  before: ` to=${HOLES.name}${MESSAGE}<atem:function_calls>\n<atem:invoke name="`,
  after: '</atem:invoke>\n</atem:function_calls>',
  arguments: {
    kind: 'tagged',
    open: '">\n',
    key: '<atem:parameter name="',
    text: '">',
    other: '">',
    end: '</atem:parameter>\n',
    separator: '',
    none: '">\n',
  },
};

/** The calls of one message. */
const MESSAGE_SHAPE: CallShape = {
  ...SHAPE,
  open: '<atem:function_calls>\n',
  close: '</atem:function_calls>',
  before: '<atem:invoke name="',
  after: '</atem:invoke>',
};

/** Reads a reply, a sequence of messages. The prompt already has the beginning of the first, up to its author. */
function* readReply(
  input: Input,
  output: DeltaCollector,
  tools: Tools,
  startsIn?: 'content' | 'reasoning',
): Reading<void> {
  if (startsIn) yield* readText(input, output, startsIn);
  while (input.rest !== '' || !input.ended) {
    yield* takeMark(input, START);
    yield* skipSpace(input);
    if (!(yield* takeMark(input, 'to='))) {
      output.text('content', release(input));
      yield* readText(input, output, 'content');
      continue;
    }
    const recipient = (yield* takeUpTo(input, MESSAGE))?.trim();
    if (recipient === undefined) return output.text('content', release(input));
    release(input);
    if (recipient === 'self') yield* readText(input, output, 'reasoning');
    else if (recipient === 'user') yield* readText(input, output, 'content');
    else yield* readCalls(input, output, tools);
  }
}

/** Reads a message to a tool. Text that is not a call becomes content. */
function* readCalls(input: Input, output: DeltaCollector, tools: Tools): Reading<void> {
  const [reader] = callReaders(MESSAGE_SHAPE);
  const calls = reader && tools.size > 0 ? yield* reader.read(input, tools) : undefined;
  if (calls) output.calls(calls);
  else output.text('content', input.taken);
  release(input);
  yield* readText(input, output, 'content');
}

/** Reads the text of a message and its end mark. */
function* readText(input: Input, output: DeltaCollector, kind: 'content' | 'reasoning'): Reading<void> {
  const mark = yield* passUpTo(input, [...ENDS, START], (text) => output.text(kind, text));
  if (mark !== undefined && ENDS.includes(mark)) consume(input, mark.length);
  release(input);
}

const WRITING = shapeWriting(SHAPE);

/**
 * Muse Glimmer writes messages to the user, to itself (its reasoning) and to tools:
 *
 *     to=self<|message|>Two numbers.<|eom|><|start|>assistant to=add<|message|><atem:function_calls>
 *     <atem:invoke name="add">
 *     <atem:parameter name="a">1</atem:parameter>
 *     </atem:invoke>
 *     </atem:function_calls>
 */
export const muse: ChatFormat = {
  name: 'muse',
  matches: (template) => template.includes('<atem:invoke'),
  marks: [START, '<|start|>', MESSAGE, ...ENDS],
  reasoning: [{ open: SELF, close: NEXT, next: START }],
  answerOpen: ` to=user${MESSAGE}`,
  ...callsWrittenAs(WRITING, createMessageParser(readReply)),
};
