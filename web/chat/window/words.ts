import { withFiles } from '../attachments/text-file.ts';
import type { Turn } from '../conversation/conversation.ts';

/** Returns the text of a turn that the model gets, with the texts of attached files and the arguments of calls. */
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
