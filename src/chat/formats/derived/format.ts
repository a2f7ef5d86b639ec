import { readBareCalls } from '../calls.ts';
import { defineFormat, THINK } from '../define.ts';
import type { ChatFormat, ReasoningMarks } from '../format.ts';
import { createSample, deriveShape } from './derive.ts';
import { deriveContentMarks, deriveReasoning } from './derive-marks.ts';
import type { Probe } from './probe.ts';
import { callReaders } from './read-calls.ts';
import type { CallShape } from './shape.ts';
import { shapeWriting } from './writing.ts';

/** What a template shows of the text of its model. */
export interface Derived {
  shape: CallShape;
  reasoning: ReasoningMarks | undefined;
  /** The marks around plain content. */
  silent: string[];
  /** True if earlier calls must have their arguments as JSON text. */
  textArguments: boolean;
  /** True if the template writes only one call of a message. */
  singleCalls: boolean;
}

/** Derives the form of calls and thoughts by the first probe that shows it. Undefined if none does. */
export function derive(probes: Probe[]): Derived | undefined {
  for (const probe of probes) {
    const shape = deriveShape(probe);
    if (!shape) continue;
    return {
      shape,
      reasoning: deriveReasoning(probe),
      silent: deriveContentMarks(probe),
      textArguments: probe.textArguments,
      singleCalls: createSample(probe)?.calls.length === 1,
    };
  }
  return undefined;
}

/** Makes the format of the models with a template. */
export function derivedFormat({ shape, reasoning, silent, textArguments, singleCalls }: Derived): ChatFormat {
  const readers = callReaders(shape);
  const marks = marksOf(shape);
  const kinds = reasoning && reasoning.open !== THINK.open ? [reasoning, THINK] : [THINK];
  const own = new Set([...readers.map(({ mark }) => mark), ...kinds.flatMap(({ open, close }) => [open, close])]);
  const isMessage = reasoning?.next !== undefined;
  const format = defineFormat({
    name: 'derived',
    matches: () => false,
    marks: [
      ...new Set([
        ...marks,
        ...silent,
        ...kinds.flatMap(({ open, close, next = '' }) => [open, close, ...marksIn(next)]),
      ]),
    ],
    reasoning: kinds,
    ...(isMessage && silent[0] && { answerOpen: silent[0] }),
    history: { ...(textArguments && { textArguments }), ...(singleCalls && { singleCalls }) },
    syntax: () => ({
      calls: readers,
      silent: silent.filter((mark) => isMark(mark) && !isAmbiguous(mark, own)),
      ...(readers.length === 0 && { opening: readBareCalls }),
    }),
    writing: shapeWriting(shape),
  });
  return {
    ...format,
    toolGrammar: (tools, parallel, argumentsRule) => format.toolGrammar(tools, parallel && !singleCalls, argumentsRule),
  };
}

function isMark(text: string): boolean {
  return /^<[^<>\s]*>$/.test(text);
}

/** True if one of the other marks is the beginning of this mark, or the other way round. */
function isAmbiguous(mark: string, others: Set<string>): boolean {
  return [...others].some((other) => other.startsWith(mark) || mark.startsWith(other));
}

/** Returns the marks of a shape that may be tokens of their own. */
function marksOf(shape: CallShape): string[] {
  const { open, separator, close, before, after, arguments: form } = shape;
  const own = form.kind === 'json' ? [form.between] : [form.open, form.key, form.text, form.other, form.end, form.none];
  const texts = [open, separator, close, before, after, ...own];
  return texts.flatMap(marksIn);
}

function marksIn(text: string): string[] {
  return text.match(/<[^<>\s]*>|\[\/?[A-Z_]+\]/g) ?? [];
}
