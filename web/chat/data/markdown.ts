import type { Conversation, ReplyTurn, Turn, UserTurn } from './conversation.ts';
import { fenced } from './fenced.ts';
import { fileAsText } from './text-file.ts';

/** Writes the branch of a conversation that is shown as a Markdown file. */
export function toMarkdown({ title, turns }: Conversation): string {
  return `${[`# ${title}`, ...turns.flatMap(toSection)].join('\n\n')}\n`;
}

function toSection(turn: Turn): string[] {
  switch (turn.role) {
    case 'user':
      return ['## You', ...partsOf(turn)];
    case 'assistant':
      return [`## ${turn.model}`, ...partsOfReply(turn)];
    case 'tool':
      return ['The result:', fenced(turn.text)];
    default:
      return turn satisfies never;
  }
}

function partsOf({ text, images, recordings = [], files = [] }: UserTurn): string[] {
  return [
    ...images.map((url, index) => `![Picture ${index + 1}](${url})`),
    ...recordings.map(({ name }) => `(The recording ${name}.)`),
    ...files.map(fileAsText),
    ...(text === '' ? [] : [text]),
  ];
}

function partsOfReply({ text, reasoning, calls }: ReplyTurn): string[] {
  return [
    ...(reasoning === '' ? [] : ['<details><summary>Thoughts</summary>', reasoning.trim(), '</details>']),
    ...(text === '' ? [] : [text]),
    ...calls.flatMap(({ function: { name, arguments: given } }) => [`A call of \`${name}\`:`, fenced(given)]),
  ];
}
