import { describe } from 'vitest';
import { harmony } from '../../../../src/chat/formats/families/harmony.ts';
import { itLeavesAsContent, itReads } from '../replies.ts';

const ADD = { call: 'add', arguments: '{"a": 1}' };
const ANALYSIS = '<|channel|>analysis<|message|>Hm.<|end|>';
const NEXT = '<|start|>assistant';

describe('harmony', () => {
  itReads(harmony, {
    'an answer': { reply: '<|channel|>final<|message|>Hi.<|return|>', gives: [{ content: 'Hi.' }] },
    'text without a channel': { reply: 'Hi. <b>', gives: [{ content: 'Hi. <b>' }] },
    'reasoning and an answer': {
      reply: `${ANALYSIS}${NEXT}<|channel|>final<|message|>Yes.\n\nNo.`,
      gives: [{ reasoning: 'Hm.' }, { content: 'Yes.\n\nNo.' }],
    },
    'reasoning that the prompt has begun': {
      reply: `Hm.<|end|>${NEXT}<|channel|>final<|message|>Yes.<|return|>`,
      startsInReasoning: true,
      gives: [{ reasoning: 'Hm.' }, { content: 'Yes.' }],
    },
    'reasoning without an end': { reply: '<|channel|>analysis<|message|>Hm, ', gives: [{ reasoning: 'Hm, ' }] },
    'a call': {
      reply: `${ANALYSIS}${NEXT}<|channel|>commentary to=functions.add <|constrain|>json<|message|>{"a": 1}<|call|>`,
      gives: [{ reasoning: 'Hm.' }, ADD],
    },
    'a call whose recipient comes first': {
      reply: ' to=functions.add<|channel|>commentary json<|message|>{"a": 1}',
      gives: [ADD],
    },
    'a call on the channel of reasoning': {
      reply: '<|channel|>analysis to=functions.add code<|message|>{"a": 1}<|call|>',
      gives: [ADD],
    },
    'a word before two calls': {
      reply:
        `<|channel|>commentary<|message|>Let me see.<|end|>${NEXT}<|channel|>commentary to=functions.add json` +
        `<|message|>{"a": 1}<|call|>${NEXT}<|channel|>commentary to=functions.now json<|message|>{}<|call|>`,
      gives: [{ content: 'Let me see.' }, ADD, { call: 'now', arguments: '{}' }],
    },
    'two messages of a kind': {
      reply: `<|channel|>commentary<|message|>One.<|end|>${NEXT}<|channel|>final<|message|>Two.<|return|>`,
      gives: [{ content: 'One.\n\nTwo.' }],
    },
    'an answer without any tools': {
      reply: `${ANALYSIS}${NEXT}<|channel|>final<|message|>Yes.<|return|>`,
      tools: [],
      gives: [{ reasoning: 'Hm.' }, { content: 'Yes.' }],
    },
  });
  itLeavesAsContent(harmony, {
    'a tool that was not offered': '<|channel|>commentary to=functions.rm json<|message|>{"a": 1}<|call|>',
    'a built-in tool': '<|channel|>analysis to=python code<|message|>1 + 1<|call|>',
    'a call that is cut off': '<|channel|>commentary to=functions.add json<|message|>{"a": 1',
    'JSON with an error': '<|channel|>commentary to=functions.add json<|message|>{a: 1}<|call|>',
    'a call with text after it': '<|channel|>commentary to=functions.add json<|message|>{"a": 1} yes<|call|>',
    'a message without a text': '<|channel|>commentary to=functions.add',
  });
});
