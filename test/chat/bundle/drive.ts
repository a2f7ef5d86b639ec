import type { ParserOptions, ReplyDelta } from '../../../src/chat/formats/format.ts';
import { detectFormat } from '../../../src/chat/formats/index.ts';
import { createPreparer } from '../../../src/chat/prepare.ts';
import { ask, chat } from '../../kit/generation.ts';
import { traits } from '../fixtures.ts';
import type { BundleCase, ExpectedReply } from './cases.ts';

/** Reads the raw text of a case as Paddock reads a model's reply, whole or in the given pieces. */
export type ReadReply = (pieces: string[]) => ExpectedReply;

type Preparer = ReturnType<typeof createPreparer>;

/** The preparers by their templates: to compile a template takes longer than to render it. */
const preparers = new Map<string, Preparer>();

function preparerOf(template: string): Preparer {
  const known = preparers.get(template) ?? createPreparer(traits(template));
  preparers.set(template, known);
  return known;
}

/** A prepared case. */
interface Prepared {
  read: ReadReply;
  /** The grammar of the reply; null if it is free. */
  grammar: string | null;
}

/**
 * Prepares the conversation of a case with the template. Where a grammar forces the reply, reasoning is asked for if the
 * reply has some: a request has to do that.
 */
export function prepareCase(one: BundleCase, template: string): Prepared {
  const { tools, messages, enableThinking, keepsReasoning, isCut, continues, expected, schema, mustCall } = one;
  const isForced = mustCall || schema !== undefined;
  const prepared = preparerOf(template)(
    ask('', {
      prompt: chat(messages, {
        tools,
        toolChoice: mustCall ? 'required' : 'auto',
        parallelToolCalls: true,
        templateKwargs: { enable_thinking: isForced ? expected.reasoning !== '' : enableThinking },
        ...(continues && { continues: true }),
        thoughtsInContent: keepsReasoning,
      }),
      ...(schema !== undefined && { replyFormat: { kind: 'schema', schema, param: 'response_format' } }),
    }),
  );
  const format = detectFormat(template);
  const options: ParserOptions = prepared.parser ?? { tools, startsInReasoning: false };
  const before = continues ? messages.at(-1) : undefined;
  // A template that knows no reasoning leaves that of the last message out.
  const thoughts = expected.reasoning === '' ? '' : before?.reasoning_content;
  const read: ReadReply = (pieces) => {
    const parser = format.createParser(options);
    const deltas = [...pieces.flatMap((piece) => parser.push(piece)), ...parser.finish(isCut)];
    return joined(deltas, { content: before?.content ?? '', reasoning: thoughts ?? '' });
  };
  return { read, grammar: prepared.grammar };
}

function joined(deltas: ReplyDelta[], before: { content: string; reasoning: string }): ExpectedReply {
  const reply: ExpectedReply = { ...before, calls: [] };
  for (const delta of deltas) {
    if (delta.kind === 'toolCall') reply.calls.push({ name: delta.name, arguments: '' });
    else if (delta.kind === 'content') reply.content += delta.text;
    else if (delta.kind === 'reasoning') reply.reasoning += delta.text;
    else {
      const last = reply.calls.at(-1);
      if (last) last.arguments += delta.text;
    }
  }
  return reply;
}

/** Returns a reply as llama.cpp's tests compare it: space around texts does not count, nor does the spelling of JSON. */
export function comparable({ content, reasoning, calls }: ExpectedReply): unknown {
  return {
    content: content.trim(),
    reasoning: reasoning.trim(),
    calls: calls.map(({ name, arguments: json }) => ({ name, arguments: parsed(json) })),
  };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json.trim();
  }
}
