import { withFiles } from '../attachments/text-file.ts';
import type { Turn } from '../conversation/conversation.ts';

/** All words of a turn that the model reads: with those of attached files, and what calls ask for. */
export function wordsOf(turn: Turn): string {
  switch (turn.role) {
    case 'user':
      return withFiles(turn.files ?? [], turn.text);
    case 'assistant':
      return [turn.text, ...turn.calls.map((call) => call.function.arguments)].join('\n');
    case 'tool':
      return turn.text;
    default:
      return turn satisfies never;
  }
}
