import type { BundleCase, ExpectedReply } from './cases.ts';

/** A kind of case that Paddock means to answer otherwise than llama.cpp, and what must hold instead. */
export interface OtherwiseKind {
  reason: string;
  applies(one: BundleCase): boolean;
  /** Returns what Paddock reads, from what llama.cpp expects. Undefined if only parts of it are compared. */
  holds(expected: ExpectedReply, actual: ExpectedReply): boolean;
}

const packed = (text: string) => text.replace(/\s/g, '');

/** All cases of these kinds are answered otherwise, unless they agree. */
export const KINDS: OtherwiseKind[] = [
  {
    reason:
      'Where reasoning is a part of the content, the space next to its marks is the same in all replies of a family.',
    applies: ({ keepsReasoning }) => keepsReasoning,
    holds: (expected, { reasoning, content, calls }) =>
      reasoning === '' && calls.length === expected.calls.length && packed(content) === packed(expected.content),
  },
  {
    reason: 'With a schema, a grammar keeps the model from writing a fence around its JSON, so no fence is taken away.',
    applies: ({ schema }) => schema !== undefined,
    holds: (expected, { content }) => content.replace(/^```json\n|\n```$/g, '') === expected.content,
  },
];

/** Single cases that are answered otherwise, by their names, with the reason. */
export const CASES: Record<string, string> = {
  'Qwen3.5-4B 15': 'The prompt has begun the reasoning already. The mark that the model repeats is left out.',
  'inclusionai-ling-3.0-flash 6':
    'Reasoning in the content has its opening mark, also before a call: it is the same with each other model.',
  'inclusionai-ling-3.0-flash 9':
    'A model that spells the end of its turn as text means text: a client may have asked for it.',
  'inclusionai-ling-3.0-flash 10': 'As above. Behind a call within the reasoning, such text makes it a quoted call.',
  'inclusionai-ling-3.0-flash 20': 'A message that has reasoning and no text is continued within its reasoning.',
  'Qwen3.5-4B 19': 'A forced reply is the call alone: the grammar allows no text before it.',
  'Qwen3.5-4B 24': 'As above.',
  'Cohere2MoE 4': 'With a schema, the reply ends with its JSON, without the mark that closes a text.',
  'openai-gpt-oss-120b 12':
    'With a schema, the grammar writes the header of the answer, which then does not name the type of its content.',
  'MiniMax-M3 18': 'The schema allows an object in the place of the text, and the model writes one.',
  'Apriel-1.6-15b-Thinker-fixed 1': 'The line before the reasoning is of the prompt, not of the model.',
  'Apriel-1.6-15b-Thinker-fixed 2': 'As above.',
  'openai-gpt-oss-120b 13':
    'A message to a tool that the client does not have is shown as content, as with every other format: it is not lost.',
  'openai-gpt-oss-120b 14': 'As above.',
};
