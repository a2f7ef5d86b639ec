import { fenced } from '../attachments/fenced.ts';
import { fileAsText } from '../attachments/text-file.ts';
import type { ReplyTurn, ShownConversation, Turn, UserTurn } from '../conversation/conversation.ts';
import type { Translate } from '../messages/translate.ts';

/** Returns the shown branch of a conversation as the text of a Markdown file with this title. */
export function toMarkdown({ turns }: ShownConversation, title: string, t: Translate): string {
  return `${[`# ${title}`, ...turns.flatMap((turn) => toSection(turn, t))].join('\n\n')}\n`;
}

function toSection(turn: Turn, t: Translate): string[] {
  switch (turn.role) {
    case 'user':
      return [`## ${t('message.you')}`, ...partsOf(turn, t)];
    case 'assistant':
      return [`## ${turn.model}`, ...partsOfReply(turn, t)];
    case 'tool':
      return [t('reply.result'), fenced(turn.text)];
    default:
      return turn satisfies never;
  }
}

function partsOf({ text, images, recordings = [], files = [] }: UserTurn, t: Translate): string[] {
  return [
    ...images.map((url, index) => `![${t('reply.picture', { number: index + 1 })}](${url})`),
    ...recordings.map(({ name }) => t('reply.recording', { name })),
    ...files.map(fileAsText),
    ...(text === '' ? [] : [text]),
  ];
}

function partsOfReply({ text, reasoning, calls }: ReplyTurn, t: Translate): string[] {
  return [
    ...(reasoning === '' ? [] : [`<details><summary>${t('reply.thoughts')}</summary>`, reasoning.trim(), '</details>']),
    ...(text === '' ? [] : [text]),
    ...calls.flatMap(({ function: { name, arguments: given } }) => [
      t('reply.callOf', { name: `\`${name}\`` }),
      fenced(given),
    ]),
  ];
}
