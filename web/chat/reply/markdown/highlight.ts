import { common, createLowlight } from 'lowlight';

/** A piece of code: plain, or of a kind with a name, such as `hljs-keyword`, and with pieces in it. */
export type Piece = string | { kinds: string; pieces: Piece[] };

type Child = ReturnType<ReturnType<typeof createLowlight>['highlight']>['children'][number];

const lowlight = createLowlight(common);

/** Tells the kinds of words in code. Null for a language that is not known. */
export function highlight(code: string, language: string): Piece[] | null {
  if (!lowlight.registered(language)) return null;
  return lowlight.highlight(language, code).children.map(toPiece);
}

function toPiece(child: Child): Piece {
  if (child.type === 'text') return child.value;
  if (child.type !== 'element') return '';
  const { className } = child.properties;
  return { kinds: Array.isArray(className) ? className.join(' ') : '', pieces: child.children.map(toPiece) };
}
