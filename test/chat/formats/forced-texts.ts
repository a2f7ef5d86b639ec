import { detectFormat } from '../../../src/chat/formats/index.ts';
import { createPreparer } from '../../../src/chat/prepare.ts';
import { ask, chat } from '../../kit/generation.ts';
import { matcherOf, traits } from '../fixtures.ts';
import { joined, type Part, TOOLS } from './replies.ts';

/** A forced call of the examples' tools, by a template. */
export interface ForcedCalls {
  /** Tells whether the grammar allows a text. */
  grammar(text: string): boolean;
  /** Reads a reply that comes in these pieces. */
  read(pieces: string[]): Part[];
}

export function prepareForced(template: string): ForcedCalls {
  const { grammar, parser: options } = createPreparer(traits(template))(
    ask('', {
      prompt: chat([{ role: 'user', content: 'Hello' }], {
        tools: TOOLS,
        toolChoice: 'required',
        parallelToolCalls: true,
      }),
    }),
  );
  return {
    grammar: matcherOf(grammar),
    read(pieces) {
      if (!options) throw new Error('there is no parser');
      const parser = detectFormat(template).createParser(options);
      return joined([...pieces.flatMap((piece) => parser.push(piece)), ...parser.finish()]);
    },
  };
}
