import { describe, expect, it } from 'vitest';
import { hermes } from '../../src/chat/formats/families/hermes.ts';
import { detectFormat } from '../../src/chat/formats/index.ts';
import { createPreparer, type PreparedRequest } from '../../src/chat/prepare.ts';
import type { GenerationRequest } from '../../src/contract/generation-request.ts';
import { MEDIA_MARK, type Media } from '../../src/contract/media.ts';
import type { ChatPrompt } from '../../src/contract/prompt.ts';
import { ask, chat } from '../kit/generation.ts';
import { ADD, ADD_CALL, callOf, HERMES_LIKE, matcherOf, NOW, NOW_CALL, PLAIN, traits } from './fixtures.ts';

const prepare = createPreparer(traits(HERMES_LIKE));

/** Prepares a request with the tools `ADD` and `NOW` for a model with the Hermes-like template. */
const withTools = (prompt: Partial<ChatPrompt>, more: Partial<GenerationRequest> = {}) =>
  prepare(
    ask('', {
      prompt: chat([{ role: 'user', content: 'Hello' }], { tools: [ADD, NOW], toolChoice: 'auto', ...prompt }),
      ...more,
    }),
  );

/** Returns the deltas that a reply is read as. */
function read({ parser: options }: PreparedRequest, reply: string) {
  // Without a parser the text is the reply.
  const parser = options && detectFormat(HERMES_LIKE).createParser(options);
  if (!parser) return [{ kind: 'content', text: reply }];
  return [...parser.push(reply), ...parser.finish()];
}

describe('a prompt that is not a conversation', () => {
  it('is taken even if the model has a template that is no Jinja', () => {
    const prompt = { kind: 'text', text: 'Once' } as const;
    expect(createPreparer(traits('{% if %}'))(ask('', { prompt })).prompt).toBe('Once');
  });

  const plain = {
    media: [],
    grammar: null,
    checks: null,
    marks: [],
    parser: null,
    severalCalls: false,
    filtered: false,
    continues: true,
  };

  it('is its text, unchanged', () => {
    expect(prepare(ask('', { prompt: { kind: 'text', text: 'Once <think>' } }))).toEqual({
      ...plain,
      prompt: 'Once <think>',
    });
  });

  it('has the grammar of the form that its reply must have', () => {
    const { grammar } = prepare(
      ask('', {
        prompt: { kind: 'tokens', tokens: [1] },
        replyFormat: { kind: 'choice', texts: ['yes', 'no'], param: 'guided_choice' },
      }),
    );
    expect(['yes', 'no', 'maybe', ''].filter(matcherOf(grammar))).toEqual(['yes', 'no']);
  });

  it('contains no mark of an image', () => {
    const prompt = { kind: 'text', text: `Once ${MEDIA_MARK}` } as const;
    expect(prepare(ask('', { prompt })).prompt).not.toContain(MEDIA_MARK);
  });

  it('is its tokens, unchanged', () => {
    expect(prepare(ask('', { prompt: { kind: 'tokens', tokens: [1, 2] } }))).toEqual({ ...plain, prompt: [1, 2] });
  });

  it('is two texts with a gap, in the marks of the model', () => {
    const infill = createPreparer(traits(HERMES_LIKE, { infill: { prefix: '<P>', suffix: '<S>', middle: '<M>' } }));
    const prompt = { kind: 'infill', prefix: 'one ', suffix: ' three' } as const;
    expect(infill(ask('', { prompt }))).toEqual({ ...plain, prompt: '<P>one <S> three<M>' });
  });

  it('is refused if it has a gap and the model can not infill', () => {
    expect(() => prepare(ask('', { prompt: { kind: 'infill', prefix: 'a', suffix: 'b' } }))).toThrow(
      expect.objectContaining({
        data: expect.objectContaining({ status: 400, code: 'unsupported_parameter', param: 'suffix' }),
      }),
    );
  });
});

describe('a conversation', () => {
  it("becomes the text of the model's template, without a grammar, with the marks of its format", () => {
    expect(prepare(ask('Hello'))).toMatchObject({
      prompt: 'user: Hello\nassistant: ',
      grammar: null,
      marks: hermes.marks,
    });
  });

  it('becomes ChatML for a model without a template', () => {
    const { prompt } = createPreparer(traits())(ask('Hello'));
    expect(prompt).toBe('<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n');
  });

  it('contains the special tokens and the variables of the request', () => {
    const source = `{{ bos_token }}{{ extra }}${PLAIN}`;
    const special = createPreparer(traits(source, { bos: '<s>' }));
    const prompt = chat([{ role: 'user', content: 'Hello' }], { templateKwargs: { extra: 'x ' } });
    expect(special(ask('', { prompt })).prompt).toBe('<s>x user: Hello\nassistant: ');
  });

  it('is refused with a 400 if the template refuses it', () => {
    const strict = createPreparer(traits("{{ raise_exception('no such role') }}"));
    expect(() => strict(ask('Hello'))).toThrow(
      expect.objectContaining({ data: expect.objectContaining({ status: 400, param: 'messages' }) }),
    );
  });

  it.each([
    ['{% if %}', 'unexpected token: close statement'],
    ['{{ a b }}', 'expected closing expression token'],
    ['{% foo %}', 'unknown statement type: foo'],
    ['{% if x %}a', 'it is not valid Jinja'],
  ])('is refused with a 500 that names the reason if the template is no Jinja: %s', (source, reason) => {
    expect(() => createPreparer(traits(source))(ask('Hello'))).toThrow(
      expect.objectContaining({
        data: expect.objectContaining({
          status: 500,
          code: 'chat_template_invalid',
          message: expect.stringContaining(`can not be read: ${reason}. `),
        }),
      }),
    );
  });

  it('keeps its images if their messages are written out and joined for a template without tools', () => {
    const image = (byte: number): Media => ({ kind: 'image', bytes: Uint8Array.of(byte) });
    const messages: ChatPrompt['messages'] = [
      { role: 'assistant', content: null, tool_calls: [callOf('look')] },
      { role: 'tool', content: `seen: ${MEDIA_MARK}`, tool_call_id: 'call_1', media: [image(1)] },
      { role: 'user', content: `${MEDIA_MARK} and?`, media: [image(2)] },
    ];
    const { prompt, media } = createPreparer(traits(PLAIN))(ask('', { prompt: chat(messages) }));
    expect(prompt).toContain(`seen: ${MEDIA_MARK}\n\n${MEDIA_MARK} and?`);
    expect(media).toEqual([image(1), image(2)]);
  });

  it('is plain data, so that another thread may prepare it', () => {
    const prepared = withTools({ toolChoice: 'required' });
    expect(structuredClone(prepared)).toEqual(prepared);
  });
});

describe('a conversation with tools', () => {
  it('shows them to the model and reads their calls', () => {
    const prepared = withTools({});
    expect(prepared.prompt).toBe('tools: add now\nuser: Hello\nassistant: ');
    expect(prepared).toMatchObject({ grammar: null, severalCalls: true });
    expect(read(prepared, NOW_CALL)).toEqual([
      { kind: 'toolCall', index: 0, name: 'now' },
      { kind: 'toolArguments', index: 0, text: '{}' },
    ]);
  });

  it('shows no tools and reads no calls if tools may not be called', () => {
    const prepared = withTools({ toolChoice: 'none' });
    expect(prepared.prompt).toBe('user: Hello\nassistant: ');
    expect(read(prepared, NOW_CALL)).toEqual([{ kind: 'content', text: NOW_CALL }]);
  });

  it('shows the tool that must be called, and no other', () => {
    const prepared = withTools({ toolChoice: { name: 'now' } });
    expect(prepared.prompt).toBe('tools: now\nuser: Hello\nassistant: ');
    expect([NOW_CALL, ADD_CALL, 'Hello'].filter(matcherOf(prepared.grammar))).toEqual([NOW_CALL]);
  });

  it('makes the model call one of them if one must be called', () => {
    const { grammar, severalCalls } = withTools({ toolChoice: 'required', parallelToolCalls: false });
    expect(severalCalls).toBe(false);
    const texts = [NOW_CALL, ADD_CALL, `${NOW_CALL}\n${ADD_CALL}`, 'Hello'];
    expect(texts.filter(matcherOf(grammar))).toEqual([NOW_CALL, ADD_CALL]);
  });

  it('shows all of them where only some may be called, and reads and allows the calls of these alone', () => {
    const allowed = withTools({ allowedTools: ['now'] });
    expect(allowed.prompt).toBe(withTools({}).prompt);
    expect(read(allowed, ADD_CALL)).toEqual([{ kind: 'content', text: ADD_CALL }]);
    expect(read(allowed, NOW_CALL)[0]).toMatchObject({ kind: 'toolCall', name: 'now' });
    const required = withTools({ allowedTools: ['now'], toolChoice: 'required' });
    expect(required.prompt).toBe(allowed.prompt);
    expect([ADD_CALL, NOW_CALL].filter(matcherOf(required.grammar))).toEqual([NOW_CALL]);
  });

  it('describes them in words if the template knows no tools', () => {
    const prepared = createPreparer(traits(PLAIN))(
      ask('', { prompt: chat([{ role: 'user', content: 'Hello' }], { tools: [NOW], toolChoice: 'auto' }) }),
    );
    expect(prepared.prompt).toMatch(/^system: [\s\S]*"now"[\s\S]*\nuser: Hello\nassistant: $/);
    expect(read(prepared, '{"tool_calls": [{"name": "now", "arguments": {}}]}')).toContainEqual({
      kind: 'toolCall',
      index: 0,
      name: 'now',
    });
  });
});

describe('a reply that must have a certain form', () => {
  const schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

  it('has a grammar', () => {
    const { grammar } = prepare(ask('Hello', { replyFormat: { kind: 'schema', schema, param: 'x' } }));
    expect(['{"text":"a"}', '{}', 'a'].filter(matcherOf(grammar))).toEqual(['{"text":"a"}']);
  });

  it('has that form or is a call if there are tools', () => {
    const { grammar } = withTools({}, { replyFormat: { kind: 'json' } });
    expect(['{"a": 1}', NOW_CALL, 'Hello'].filter(matcherOf(grammar))).toEqual(['{"a": 1}', NOW_CALL]);
  });

  it.each(['<think>', '</think>', '<tool_call>'])('is content, even with %s inside a string', (mark) => {
    const reply = `{"text":"a ${mark} b"}`;
    const prepared = prepare(ask('Hello', { replyFormat: { kind: 'schema', schema, param: 'x' } }));
    expect(matcherOf(prepared.grammar)(reply)).toBe(true);
    expect(read(prepared, reply)).toEqual([{ kind: 'content', text: reply }]);
  });
});

describe('reasoning that the template has begun', () => {
  const templateKwargs = { think: true };

  it('goes on in the reply', () => {
    const prepared = withTools({ templateKwargs });
    expect(prepared.prompt).toMatch(/assistant: <think>\n$/);
    expect(read(prepared, 'Hm.\n</think>\n\nYes.')).toEqual([
      { kind: 'reasoning', text: 'Hm.' },
      { kind: 'content', text: 'Yes.' },
    ]);
  });

  it.each<[string, Partial<ChatPrompt>, Partial<GenerationRequest>]>([
    ['a call is forced', { toolChoice: 'required' }, {}],
    ['JSON is asked for', {}, { replyFormat: { kind: 'json' } }],
  ])('ends at once if %s, since a grammar allows no reasoning', (_, prompt, more) => {
    const prepared = withTools({ templateKwargs, ...prompt }, more);
    expect(prepared.prompt).toMatch(/assistant: <think>\n<\/think>\n\n$/);
    expect(read(prepared, NOW_CALL)).toContainEqual({ kind: 'toolCall', index: 0, name: 'now' });
  });
});

describe('a reply that is one of some options', () => {
  const options = { kind: 'options' as const, texts: ['yes', 'say "no"'], param: 'questions' };
  const prompt = chat([{ role: 'user', content: 'Is it?' }]);
  const promptOf = (template: string) =>
    createPreparer(traits(template))(ask('', { prompt, replyFormat: options })).prompt;

  it('has a grammar of these texts', () => {
    const prepared = prepare(ask('', { prompt, replyFormat: options }));
    expect(prepared.grammar).toContain('"yes"');
    expect(matcherOf(prepared.grammar ?? '')('say "no"')).toBe(true);
    expect(matcherOf(prepared.grammar ?? '')('no')).toBe(false);
  });

  it('follows reasoning that is switched off, and closed where the template opens it all the same', () => {
    const template = "{{ 'think' if enable_thinking else 'plain' }}: {{ messages[0].content }}<think>\n";
    expect(promptOf(template)).toBe('plain: Is it?<think>\n</think>\n\n');
  });

  it('follows the opening of the answer in a format that has one', () => {
    const template = '<|start|>user<|message|>{{ messages[0].content }}<|end|><|start|>assistant{# <|channel|> #}';
    expect(promptOf(template)).toMatch(/<\|start\|>assistant<\|channel\|>final<\|message\|>$/);
  });
});
