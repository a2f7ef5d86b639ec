/** The part of a whole reply or of a chunk that is compared. */
interface Piece {
  choices?: {
    index: number;
    text?: string;
    message?: Said;
    delta?: Said;
    finish_reason?: string | null;
  }[];
}

interface Said {
  content?: string | null;
  tool_calls?: { index?: number; function?: { name?: string; arguments?: string } }[];
}

interface Choice {
  text: string;
  calls: { name: string; arguments: string }[];
  finish: string | null;
}

/**
 * Returns a text to compare replies by: for each choice its text, its tool calls and its finish reason. Ids, times and
 * chunk borders are left out. `pieces` is a whole reply, or the chunks of a stream in order.
 */
export function gistOf(pieces: unknown[]): string {
  const choices: Choice[] = [];
  for (const piece of pieces as Piece[]) {
    for (const { index, text, message, delta, finish_reason } of piece.choices ?? []) {
      const choice = choices[index] ?? { text: '', calls: [], finish: null };
      choices[index] = choice;
      const said = message ?? delta;
      choice.text += text ?? said?.content ?? '';
      (said?.tool_calls ?? []).forEach((call, position) => {
        const at = call.index ?? position;
        const known = choice.calls[at] ?? { name: '', arguments: '' };
        known.name += call.function?.name ?? '';
        known.arguments += call.function?.arguments ?? '';
        choice.calls[at] = known;
      });
      choice.finish = finish_reason ?? choice.finish;
    }
  }
  return JSON.stringify(choices);
}
