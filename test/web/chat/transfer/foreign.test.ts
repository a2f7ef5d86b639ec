import { describe, expect, it } from 'vitest';
import { shownMessages, versionsOf } from '../../../../web/chat/conversation/tree/branches.ts';
import { merge } from '../../../../web/chat/conversation/tree/merge.ts';
import { NO_CHATS, type Patch } from '../../../../web/chat/conversation/tree/tree.ts';
import { importText } from '../../../../web/chat/transfer/import.ts';

const NOW = 1_790_000_000_000;
const PICTURE = 'data:image/png;base64,AA==';

/** The only chat of a file, and its messages by their ids. */
function readOne(content: unknown) {
  const { heads, messages } = merge(NO_CHATS, importText(JSON.stringify(content), NOW));
  const [head] = Object.values(heads);
  if (!head) throw new Error('the file has a chat');
  const own = messages[head.id] ?? {};
  return { head, own, shown: shownMessages(head, own).map(({ turn }) => [turn.value.role, turn.value.text]) };
}

describe('an export of ChatGPT', () => {
  interface Given {
    parent: string | null;
    role?: string;
    text?: unknown;
    more?: object;
    content?: object;
  }
  const node = (id: string, { parent, role, text, more = {}, content }: Given, index: number) => ({
    id,
    parent,
    children: [],
    message: role
      ? {
          id,
          author: { role, name: null, metadata: {} },
          create_time: 1_700_000_000 + index,
          content: content ?? { content_type: 'text', parts: [text] },
          status: 'finished_successfully',
          recipient: 'all',
          metadata: {},
          ...more,
        }
      : null,
  });
  const chat = (nodes: Record<string, Given>, more: object = {}) => [
    {
      title: 'Bread',
      create_time: 1_700_000_000.5,
      update_time: 1_700_000_100,
      conversation_id: 'gpt-1',
      mapping: Object.fromEntries(Object.entries(nodes).map(([id, given], index) => [id, node(id, given, index)])),
      current_node: Object.keys(nodes).at(-1),
      ...more,
    },
  ];

  it('keeps all versions and shows the one that was shown, without what ChatGPT hides', () => {
    const nodes = {
      root: { parent: null },
      system: { parent: 'root', role: 'system', text: '' },
      q: { parent: 'system', role: 'user', text: 'How do I bake bread?' },
      a: { parent: 'q', role: 'assistant', text: 'With flour.', more: { metadata: { model_slug: 'gpt-4o' } } },
      b: { parent: 'q', role: 'assistant', text: 'With time.' },
    };
    const { head, own, shown } = readOne(chat(nodes));
    expect(head).toMatchObject({
      id: 'gpt-1',
      title: { value: 'Bread' },
      createdAt: 1_700_000_000_500,
      updatedAt: 1_700_000_100_000,
    });
    expect(shown).toEqual([
      ['user', 'How do I bake bread?'],
      ['assistant', 'With time.'],
    ]);
    expect(versionsOf(own, 'b')).toEqual(['a', 'b']);
    expect(own.a?.turn.value).toMatchObject({ model: 'gpt-4o', end: { kind: 'finished', reason: 'stop' } });
    expect(readOne(chat(nodes, { current_node: 'a' })).shown.at(-1)).toEqual(['assistant', 'With flour.']);
  });

  it('leaves calls of tools out, takes thoughts to the reply that follows, and says where a picture was', () => {
    const { own, shown } = readOne(
      chat({
        q: {
          parent: null,
          role: 'user',
          content: {
            content_type: 'multimodal_text',
            parts: [{ content_type: 'image_asset_pointer', asset_pointer: 'file-service://x' }, 'What is this?'],
          },
        },
        t: {
          parent: 'q',
          role: 'assistant',
          content: { content_type: 'thoughts', thoughts: [{ summary: 'Looking', content: 'It looks like bread.' }] },
        },
        call: { parent: 't', role: 'assistant', text: 'search("bread")', more: { recipient: 'browser' } },
        result: { parent: 'call', role: 'tool', text: 'Bread is baked.' },
        a: { parent: 'result', role: 'assistant', text: 'Bread.' },
      }),
    );
    expect(shown).toEqual([
      ['user', '(A file that is not in the export.)\n\nWhat is this?'],
      ['assistant', 'Bread.'],
    ]);
    expect(own.a?.turn.value).toMatchObject({ reasoning: 'It looks like bread.' });
  });

  it('has no chats in which nothing was said, and no messages that go round in a circle', () => {
    const read = (content: unknown): Patch => importText(JSON.stringify(content), NOW);
    expect(read(chat({ root: { parent: null } })).heads).toEqual([]);
    const circle = { a: { parent: 'b', role: 'user', text: 'a' }, b: { parent: 'a', role: 'user', text: 'b' } };
    expect(read(chat(circle)).messages).toEqual([]);
  });

  it('has to be unpacked first', () => {
    expect(() => importText('PK\u0003\u0004', NOW)).toThrow(/unpack it.*conversations\.json/);
  });
});

describe('an export of Open WebUI', () => {
  const message = (id: string, parentId: string | null, role: string, content: string, more: object = {}) => ({
    [id]: { id, parentId, childrenIds: [], role, content, timestamp: 1_700_000_000, ...more },
  });
  const chat = (messages: object, currentId: string | null, more: object = {}) => ({
    id: 'webui-1',
    user_id: 'me',
    title: 'Bread',
    chat: { title: 'Bread', models: ['llama'], history: { messages, currentId }, ...more },
    created_at: 1_700_000_000,
    updated_at: 1_700_000_200,
    archived: false,
  });

  it('keeps all versions, pictures, thoughts and the system prompt', () => {
    const thought =
      '<details type="reasoning" done="true" duration="2">\n<summary>Thought for 2 seconds</summary>\n&gt; Flour &amp;\n&gt; water.\n</details>\n';
    const messages = {
      ...message('q', null, 'user', 'What is this?', {
        files: [
          { type: 'image', url: PICTURE },
          { type: 'file', url: 'a1b2', name: 'a.pdf' },
        ],
      }),
      ...message('a', 'q', 'assistant', `${thought}Bread.`, { model: 'llama', modelName: 'Llama 3' }),
      ...message('b', 'q', 'assistant', 'A loaf.', { model: 'llama' }),
    };
    const { head, own, shown } = readOne([chat(messages, 'a', { params: { system: 'Be brief.' } })]);
    expect(head).toMatchObject({
      id: 'webui-1',
      updatedAt: 1_700_000_200_000,
      settings: { value: { system: 'Be brief.' } },
    });
    expect(shown).toEqual([
      ['user', 'What is this?\n\n(A file that is not in the export.)'],
      ['assistant', 'Bread.'],
    ]);
    expect(own.q?.turn.value).toMatchObject({ images: [PICTURE] });
    expect(own.a?.turn.value).toMatchObject({ model: 'Llama 3', reasoning: 'Flour &\nwater.' });
    expect(versionsOf(own, 'a')).toEqual(['a', 'b']);
  });

  it('may be that of one chat', () => {
    expect(readOne(chat(message('q', null, 'user', 'Hello'), 'q')).shown).toEqual([['user', 'Hello']]);
  });
});

describe('any other list', () => {
  it('is refused', () => {
    expect(() => importText('[{"title": "a"}]', NOW)).toThrow(/Paddock, ChatGPT or Open WebUI/);
  });
});
