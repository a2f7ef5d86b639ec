import { expect, it } from 'vitest';
import { newReply, type Turn } from '../../../../web/chat/conversation/conversation.ts';
import { inEnglish } from '../../../../web/chat/messages/translate.ts';
import { NO_SETTINGS } from '../../../../web/chat/settings/settings.ts';
import { toMarkdown } from '../../../../web/chat/transfer/markdown.ts';

it('a Markdown file has the whole branch: words, pictures, thoughts, calls and their results', () => {
  const turns: Turn[] = [
    { role: 'user', id: 'q', text: 'See?', images: ['data:image/png;base64,AA=='] },
    {
      ...newReply('pico'),
      reasoning: ' Hm. ',
      text: 'Let me look.',
      calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }],
    },
    { role: 'tool', id: 't', callId: 'c', text: 'a ``` fence' },
  ];
  const rest = { id: 'c', createdAt: 1, updatedAt: 1, model: null, settings: NO_SETTINGS };
  expect(toMarkdown({ ...rest, title: 'A talk', turns }, 'A talk', inEnglish)).toBe(
    [
      '# A talk',
      '## You',
      '![Picture 1](data:image/png;base64,AA==)',
      'See?',
      '## pico',
      '<details><summary>Thoughts</summary>',
      'Hm.',
      '</details>',
      'Let me look.',
      'A call of `look`:',
      '```\n{}\n```',
      'The result:',
      '````\na ``` fence\n````\n',
    ].join('\n\n'),
  );
});
