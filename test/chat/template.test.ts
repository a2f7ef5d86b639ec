import { describe, expect, it } from 'vitest';
import { createChatTemplate } from '../../src/chat/template.ts';
import { ApiError } from '../../src/contract/errors.ts';
import type { ChatMessage } from '../../src/contract/prompt.ts';
import { chatTemplate } from '../kit/models/chat-template.ts';

const NO_TOKENS = { bos: '', eos: '' };
const user: ChatMessage = { role: 'user', content: 'Hello' };

/** Renders with a template of the test's own. */
function render(source: string, messages: ChatMessage[], kwargs: Record<string, unknown> = {}, tokens = NO_TOKENS) {
  return createChatTemplate(source, tokens)(messages, [], kwargs);
}

describe('chat template', () => {
  it('is ChatML for a model that brings none', () => {
    const template = createChatTemplate(undefined, NO_TOKENS);
    const messages: ChatMessage[] = [
      { role: 'system', content: 'Be brief.' },
      user,
      { role: 'assistant', content: 'Hi' },
      { role: 'user', content: 'Bye' },
    ];
    expect(template(messages, [], {})).toBe(
      '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHello<|im_end|>\n' +
        '<|im_start|>assistant\nHi<|im_end|>\n<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n',
    );
  });

  it('ends with the beginning of a reply', () => {
    expect(render('{{ add_generation_prompt }}', [user])).toBe('True');
  });

  it('gets the special tokens as text', () => {
    const tokens = { bos: '<s>', eos: '</s>' };
    expect(render('{{ bos_token }}{{ messages[0].content }}{{ eos_token }}', [user], {}, tokens)).toBe('<s>Hello</s>');
  });

  it('shows a message without content as an empty one', () => {
    expect(render('[{{ messages[0].content }}]', [{ role: 'assistant', content: null }])).toBe('[]');
  });

  it('keeps the name of an author', () => {
    expect(render('{{ messages[0].name }}', [{ ...user, name: 'ann' }])).toBe('ann');
  });

  it('ties a result to its call by an id of its own, so that the ids of clients are not in the prompt', () => {
    const source =
      '{% for m in messages %}{{ m.tool_call_id }}{{ m.name }}{% for c in m.tool_calls or [] %}{{ c.id }}{% endfor %} {% endfor %}';
    const conversation = (id: string): ChatMessage[] => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name: 'add', arguments: '{}' } }],
      },
      { role: 'tool', content: '4', tool_call_id: id },
    ];
    expect(render(source, conversation('a7f'))).toBe('call_0 call_0add ');
    expect(render(source, conversation('b81'))).toBe('call_0 call_0add ');
  });

  describe('with thoughts of the model', () => {
    const turn: ChatMessage = { role: 'assistant', content: 'Four.' };
    const thought: ChatMessage = { ...turn, reasoning_content: 'Two and two.' };
    const KNOWS =
      '{% for m in messages %}{{ m.role }}: {% if m.reasoning_content is string %}<think>\n' +
      "{{ m.reasoning_content.strip('\n') }}\n</think>\n\n{% endif %}{{ m.content.lstrip('\n') }}\n{% endfor %}";

    it('shows them where it knows them', () => {
      expect(render(KNOWS, [user, thought])).toBe('user: Hello\nassistant: <think>\nTwo and two.\n</think>\n\nFour.\n');
      expect(render(KNOWS, [user, turn])).toBe('user: Hello\nassistant: Four.\n');
    });

    it('is what it was without them where it does not know them', () => {
      for (const source of [chatTemplate, '{{ messages[1].content }}']) {
        expect(render(source, [user, thought])).toBe(render(source, [user, turn]));
      }
    });
  });

  it("gives a tool call's arguments as an object", () => {
    const call: ChatMessage = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a": 1, "b": [2]}' } }],
    };
    const source =
      '{% set f = messages[0].tool_calls[0].function %}{{ f.name }}({{ f.arguments.a }}, {{ f.arguments.b[0] }})';
    expect(render(source, [call])).toBe('add(1, 2)');
  });

  it("gives a tool call's arguments unchanged if they are not JSON", () => {
    const call: ChatMessage = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'add', arguments: '{oops' } }],
    };
    expect(render('{{ messages[0].tool_calls[0].function.arguments }}', [call])).toBe('{oops');
  });

  it('passes on the extra variables of the request', () => {
    expect(render('{{ enable_thinking }}', [user], { enable_thinking: false })).toBe('False');
  });

  it('lets no extra variable replace its own', () => {
    const kwargs = { messages: [], add_generation_prompt: false, bos_token: 'x', eos_token: 'y' };
    const source = '{{ bos_token }}{{ messages[0].content }}{{ add_generation_prompt }}{{ eos_token }}';
    expect(render(source, [user], kwargs)).toBe('HelloTrue');
  });

  it('has the system message in the first user message if the template refuses a system message', () => {
    const source =
      "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no') }}{% endif %}[{{ m.content }}]{% endfor %}";
    expect(render(source, [{ role: 'system', content: 'Be brief.' }, user])).toBe('[Be brief.\n\nHello]');
    expect(() => render(source, [{ role: 'system', content: 'Be brief.' }])).toThrow('no');
  });

  describe('reasoning', () => {
    const source = '{{ enable_thinking }} {{ thinking }} {{ thinking_budget }}';

    it('is on by default', () => {
      expect(render(source, [user])).toBe('True  ');
    });

    it("is switched by the request, also in the family's own variable", () => {
      expect(render(source, [user], { enable_thinking: false })).toBe('False False 0');
      expect(render(source, [user], { enable_thinking: true })).toBe('True True ');
      expect(render(source, [user], { enable_thinking: false, thinking: 'low' })).toBe('False low 0');
    });

    it('has an effort that the template knows', () => {
      const knows = (known: string) =>
        `{% if reasoning_effort not in ${known} %}{{ raise_exception('no') }}{% endif %}{{ reasoning_effort }} {{ thinking_budget }}`;
      expect(render(knows("['low', 'high', 'no_think']"), [user], { reasoning_effort: 'none' })).toBe('no_think 0');
      expect(render(knows("['low', 'high', 'no_think']"), [user], { reasoning_effort: 'medium' })).toBe('high 4096');
      expect(render(knows("['medium']"), [user], { reasoning_effort: 'medium' })).toBe('medium 4096');
      expect(() => render(knows("['medium']"), [user], { reasoning_effort: 'low' })).toThrow('no');
    });

    it.each([
      ['reasoning_content', '{{ m.reasoning_content }}'],
      ['thinking', '{{ m.thinking }}'],
      [
        'a chunk',
        '{% if m.content is string %}{{ m.content }}{% else %}{% for c in m.content %}{{ c.thinking or c.text }} {% endfor %}{% endif %}',
      ],
    ])('of earlier messages is shown where the template reads it: %s', (_, read) => {
      const call = { id: 'a', type: 'function', function: { name: 'now', arguments: '{}' } } as const;
      const turn: ChatMessage = {
        role: 'assistant',
        content: null,
        reasoning_content: 'Two and two.',
        tool_calls: [call],
      };
      const template = `{% for m in messages %}${read}{% for c in m.tool_calls or [] %}<call>{{ c.function.name }}</call>{% endfor %}{% endfor %}`;
      expect(render(template, [turn])).toContain('Two and two.');
    });
  });

  it('throws a 400 with the reason if the template refuses the conversation', () => {
    const source = "{{ raise_exception('roles must alternate') }}";
    expect(() => render(source, [user])).toThrow(ApiError);
    try {
      render(source, [user]);
    } catch (error) {
      expect((error as ApiError).data).toMatchObject({ status: 400, type: 'invalid_request_error', param: 'messages' });
      expect((error as ApiError).message).toContain('roles must alternate');
    }
  });

  it('throws for invalid Jinja when the model is loaded, not at the first request', () => {
    expect(() => createChatTemplate('{% if %}', NO_TOKENS)).toThrow();
  });
});
