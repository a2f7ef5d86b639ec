import { common, createLowlight } from 'lowlight';
import '../../style/highlight.css';

/** A piece of code: plain text, or pieces with class names such as `hljs-keyword`. */
export type CodePiece = string | { kinds: string; pieces: CodePiece[] };

type Child = ReturnType<ReturnType<typeof createLowlight>['highlight']>['children'][number];

const lowlight = createLowlight(common);

/** Splits code into pieces with class names. Returns null for an unknown language. */
export function highlight(code: string, language: string): CodePiece[] | null {
  if (!lowlight.registered(language)) return null;
  return lowlight.highlight(language, code).children.map(toPiece);
}

function toPiece(child: Child): CodePiece {
  if (child.type === 'text') return child.value;
  if (child.type !== 'element') return '';
  const { className } = child.properties;
  return { kinds: Array.isArray(className) ? className.join(' ') : '', pieces: child.children.map(toPiece) };
}
