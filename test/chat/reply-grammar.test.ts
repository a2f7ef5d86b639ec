import { describe, expect, it } from 'vitest';
import { generic } from '../../src/chat/formats/families/generic.ts';
import { hermes } from '../../src/chat/formats/families/hermes.ts';
import { formats } from '../../src/chat/formats/index.ts';
import { replyGrammar } from '../../src/chat/reply-grammar.ts';
import type { ReplyFormat } from '../../src/contract/generation-request.ts';
import type { ChatPrompt } from '../../src/contract/prompt.ts';
import { chat } from '../kit/generation.ts';
import { ADD, ADD_CALL, matcherOf, NOW, NOW_CALL } from './fixtures.ts';

const TEXT: ReplyFormat = { kind: 'text' };
const JSON_OBJECT: ReplyFormat = { kind: 'json' };
const ANSWER: ReplyFormat = {
  kind: 'schema',
  schema: { type: 'object', properties: { answer: { enum: ['yes', 'no'] } }, required: ['answer'] },
  param: 'response_format.json_schema.schema',
};

const grammarOf = (prompt: Partial<ChatPrompt>, replyFormat: ReplyFormat = TEXT, format = hermes) =>
  replyGrammar(chat([], { tools: [ADD, NOW], toolChoice: 'auto', ...prompt }), replyFormat, format).grammar;

/** Returns the texts that the grammar allows. */
const allowed = (grammar: string | null, texts: string[]) => texts.filter(matcherOf(grammar));

describe('a free reply', () => {
  it.each<[string, Partial<ChatPrompt>]>([
    ['has no tools', { tools: [] }],
    ['may call tools', {}],
    ['may not call its tools', { toolChoice: 'none' }],
  ])('has no grammar when it %s', (_, prompt) => {
    expect(grammarOf(prompt)).toBeNull();
  });
});

describe('a reply that must call a tool', () => {
  it('is one call or several, as the format writes them', () => {
    const calls = [ADD_CALL, NOW_CALL, `${ADD_CALL}\n${NOW_CALL}`];
    const others = ['', 'Hello', `Hello ${ADD_CALL}`, `${ADD_CALL} there`];
    expect(allowed(grammarOf({ toolChoice: 'required' }), [...calls, ...others])).toEqual(calls);
  });

  it('is one call if parallel calls are off', () => {
    const grammar = grammarOf({ toolChoice: 'required', parallelToolCalls: false });
    expect(allowed(grammar, [ADD_CALL, NOW_CALL, `${ADD_CALL}\n${NOW_CALL}`])).toEqual([ADD_CALL, NOW_CALL]);
  });

  it('is one call of the named tool', () => {
    const texts = [ADD_CALL, NOW_CALL, `${NOW_CALL}\n${NOW_CALL}`];
    expect(allowed(grammarOf({ toolChoice: { name: 'now' } }), texts)).toEqual([NOW_CALL]);
  });

  it('is a call, even if the request also asks for JSON', () => {
    const texts = [ADD_CALL, '{"answer":"yes"}', '{}'];
    for (const format of [JSON_OBJECT, ANSWER]) {
      expect(allowed(grammarOf({ toolChoice: 'required' }, format), texts)).toEqual([ADD_CALL]);
    }
  });

  it('has arguments that obey the schema of its tool', () => {
    const grammar = grammarOf({ toolChoice: 'required' });
    const bad = ['{"a":1}', '{"a":1,"b":"2"}', '{}', '5'].map((json) => ADD_CALL.replace('{"a":1,"b":2}', json));
    expect(allowed(grammar, bad)).toEqual([]);
  });

  it('has no arguments for a tool that takes none', () => {
    const bad = ['{"a":1}', '[]', 'null'].map((json) => NOW_CALL.replace('{}', json));
    expect(allowed(grammarOf({ toolChoice: 'required' }), bad)).toEqual([]);
  });

  it.each([[{}], [{ properties: { a: { type: 'integer' } } }]])(
    'has an object as arguments, even if the schema %j does not ask for one',
    (parameters) => {
      const grammar = grammarOf({ tools: [{ ...NOW, parameters }], toolChoice: 'required' });
      const bad = ['5', '"x"', '[]', 'null', 'true'].map((json) => NOW_CALL.replace('{}', json));
      expect(allowed(grammar, [NOW_CALL, ...bad])).toEqual([NOW_CALL]);
    },
  );

  it.each(formats.map((format) => [format.name, format] as const))('is read back as a call by %s', (_, format) => {
    const { grammar } = replyGrammar(chat([], { tools: [ADD, NOW], toolChoice: 'required' }), TEXT, format);
    const text = format.writeCalls([{ name: 'add', arguments: '{"a":1,"b":2}' }]);
    expect(allowed(grammar, [text])).toEqual([text]);
    const parser = format.createParser({ tools: [ADD, NOW], startsInReasoning: false });
    expect([...parser.push(text), ...parser.finish()]).toContainEqual({ kind: 'toolCall', index: 0, name: 'add' });
  });
});

describe('a reply that must be JSON', () => {
  const texts = ['{"answer":"yes"}', '{"other": [1]}', '[1]', '"yes"', 'yes', NOW_CALL];

  it('is any object if no schema is given', () => {
    expect(allowed(grammarOf({ tools: [] }, JSON_OBJECT), texts)).toEqual(['{"answer":"yes"}', '{"other": [1]}']);
  });

  it('is JSON that obeys the schema', () => {
    expect(allowed(grammarOf({ tools: [] }, ANSWER), texts)).toEqual(['{"answer":"yes"}']);
  });

  it.each<[string, ReplyFormat, string[]]>([
    ['an object', JSON_OBJECT, ['{"answer":"yes"}', '{"other": [1]}', NOW_CALL]],
    ['JSON of the schema', ANSWER, ['{"answer":"yes"}', NOW_CALL]],
  ])('is %s or a call if tools may be called', (_, format, expected) => {
    expect(allowed(grammarOf({}, format), texts)).toEqual(expected);
    expect(allowed(grammarOf({}, format), [`{"answer":"yes"}${NOW_CALL}`])).toEqual([]);
  });

  it('is not a call if tools may not be called', () => {
    expect(allowed(grammarOf({ toolChoice: 'none' }, ANSWER), texts)).toEqual(['{"answer":"yes"}']);
  });

  it('or a call may be either, even in a format whose calls are JSON', () => {
    const call = generic.writeCalls([{ name: 'now', arguments: '{}' }]);
    expect(allowed(grammarOf({}, ANSWER, generic), ['{"answer":"no"}', call, '{"answer":"maybe"}'])).toEqual([
      '{"answer":"no"}',
      call,
    ]);
  });
});

describe('a schema that can be neither enforced nor checked', () => {
  const unenforceable = { type: 'string', minlength: 1 };
  const refusal = (param: string) => expect.objectContaining({ data: expect.objectContaining({ status: 400, param }) });

  it('of a reply is refused with the name of its field', () => {
    const format = { ...ANSWER, schema: unenforceable } as ReplyFormat;
    expect(() => grammarOf({ tools: [] }, format)).toThrow(refusal('response_format.json_schema.schema'));
  });

  it('of a tool is refused with the place of the tool, even if no other tool may be called', () => {
    const bad = { name: 'bad', parameters: { type: 'object', properties: { x: unenforceable }, required: ['x'] } };
    for (const toolChoice of ['required', { name: 'bad' }] as const) {
      expect(() => grammarOf({ tools: [ADD, bad], toolChoice })).toThrow(refusal('tools[1].function.parameters'));
      const toolParams = ['tools[4].input_schema', 'tools[7].input_schema'];
      expect(() => grammarOf({ tools: [ADD, bad], toolChoice, toolParams })).toThrow(refusal('tools[7].input_schema'));
    }
  });

  it('of a tool is accepted if no call of it is forced', () => {
    const bad = { name: 'bad', parameters: unenforceable };
    expect(grammarOf({ tools: [bad] })).toBeNull();
    expect(grammarOf({ tools: [ADD, bad], toolChoice: { name: 'add' } })).not.toBeNull();
  });
});

describe('what a grammar leaves to be checked', () => {
  const partial = { type: 'object', properties: { tags: { type: 'array', uniqueItems: true } } };
  const TAG = { ...NOW, name: 'tag', parameters: partial };
  const schema: ReplyFormat = { kind: 'schema', schema: partial, param: 'schema' };
  const checksOf = (prompt: Partial<ChatPrompt>, replyFormat: ReplyFormat) =>
    replyGrammar(chat([], { tools: [ADD, TAG], toolChoice: 'auto', ...prompt }), replyFormat, hermes).checks;

  it('is nothing for a free reply, and where all is enforced', () => {
    expect(checksOf({}, TEXT)).toBeNull();
    expect(checksOf({ tools: [ADD] }, ANSWER)).toBeNull();
    expect(checksOf({ tools: [ADD], toolChoice: 'required' }, TEXT)).toBeNull();
  });

  it('is the schema of the reply, and those of the tools that may be called', () => {
    expect(checksOf({ tools: [] }, schema)).toEqual({ reply: partial, calls: [] });
    expect(checksOf({ toolChoice: 'required' }, schema)).toEqual({ reply: null, calls: [['tag', partial]] });
    expect(checksOf({}, schema)).toEqual({ reply: partial, calls: [['tag', partial]] });
    expect(checksOf({ toolChoice: { name: 'add' } }, TEXT)).toBeNull();
  });
});
