import { defineFormat } from '../define.ts';
import { callReaders } from '../derived/read-calls.ts';
import { type CallShape, HOLES } from '../derived/shape.ts';
import { shapeWriting } from '../derived/writing.ts';

const open = (name: string) => `<|open|>${name}<|sep|>`;
const close = (name: string) => `<|close|>${name}<|sep|>`;

const SHAPE: CallShape = {
  open: open('tools'),
  separator: '',
  close: close('tools'),
  before: '<|open|>call tool="',
  after: close('call'),
  arguments: {
    kind: 'tagged',
    open: `" index="${HOLES.fromOne}"<|sep|>`,
    key: '<|open|>argument key="',
    text: '" type="string"<|sep|>',
    other: `" type="${HOLES.type}"<|sep|>`,
    end: close('argument'),
    separator: '',
    none: `" index="${HOLES.fromOne}"<|sep|>`,
  },
};

/** Kimi K3 writes each part of a message between `<|open|>name<|sep|>` and `<|close|>name<|sep|>`. */
export const kimiK3 = defineFormat({
  name: 'kimi-k3',
  matches: (template) => template.includes('<|open|>') && template.includes('<|sep|>'),
  marks: ['<|open|>', '<|close|>', '<|sep|>'],
  reasoning: [{ open: open('think'), close: close('think'), ends: [open('response'), open('tools')] }],
  answerOpen: open('response'),
  syntax: () => ({
    calls: callReaders(SHAPE),
    silent: [open('response'), close('response'), close('tools'), close('message'), '<|end_of_msg|>'],
  }),
  writing: shapeWriting(SHAPE),
});
