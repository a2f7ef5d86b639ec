import type { JSX, VNode } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { type Around, Block } from './block.tsx';
import { type Node, type Parsed, parse } from './parse.ts';

interface Drawn {
  block: Node;
  around: Around;
  element: VNode;
}

/**
 * Draws Markdown. The text is never parsed as HTML: each token becomes an element, and all words become text nodes.
 * While the text grows, its finished blocks are neither parsed nor drawn again.
 */
export function Markdown({ text, growing }: { text: string; growing: boolean }): JSX.Element {
  const before = useRef<Parsed | null>(null);
  const drawn = useRef<Drawn[]>([]);
  return useMemo(() => {
    const parsed = parse(text, growing, before.current);
    before.current = parsed;
    drawn.current = draw(parsed, drawn.current);
    return <div class="prose">{drawn.current.map(({ element }) => element)}</div>;
  }, [text, growing]);
}

/** Reuses the elements of unchanged blocks, because Preact skips an element that is the same object as before. */
function draw({ blocks, growing }: Parsed, before: Drawn[]): Drawn[] {
  const notes = new Set(blocks.flatMap((block) => (block.type === 'noteText' ? block.label : [])));
  // The key is the index, because text grows only at its end. Footnotes are drawn at the end.
  const inOrder = [...blocks.filter(isText), ...blocks.filter((block) => block.type === 'noteText')];
  const last = blocks.findLast(isText);
  return inOrder.map((block, index) => {
    const around = { notes, growing: growing && (block === last || block === blocks.at(-1)) };
    const old = before[index];
    if (old?.block === block && looksTheSame(block, old.around, around)) return old;
    return { block, around, element: <Block key={index} block={block} around={around} /> };
  });
}

function isText({ type }: Node): boolean {
  return type !== 'space' && type !== 'def' && type !== 'noteText';
}

function looksTheSame({ raw }: Node, old: Around, now: Around): boolean {
  if (old.growing !== now.growing) return false;
  return !raw.includes('[^') || [...old.notes].join(' ') === [...now.notes].join(' ');
}
