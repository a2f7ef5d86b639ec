import type { ComponentChildren, JSX, VNode } from 'preact';
import { createElement } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import { t } from '../../messages/language.ts';
import { CodeBlock } from './code-block.tsx';
import { Diagram } from './diagram.tsx';
import { Formula } from './formula.tsx';
import { drawInline } from './inline.tsx';
import { Note } from './notes.tsx';
import { type Node, nodes } from './parse.ts';

/** The context of a block within its text. */
export interface Around {
  /** The labels of the footnotes whose texts exist. */
  notes: ReadonlySet<string>;
  /** True for the last block of a growing text, which may be incomplete. */
  growing: boolean;
}

type Of<Type extends Node['type']> = Extract<Node, { type: Type }>;

/** A top-level block of a text. If drawing it throws, its source is shown, and the rest of the page stays. */
export function Block({ block, around }: { block: Node; around: Around }): JSX.Element {
  const [failed] = useErrorBoundary();
  if (failed) return <p class="as-written">{block.raw}</p>;
  return <>{drawBlock(block, around, 'auto')}</>;
}

function drawBlocks(blocks: Node[], around: Around): ComponentChildren {
  return blocks.map((block, index) => {
    const last = index === blocks.length - 1;
    // The key is the index, because text grows only at its end.
    return <DrawnBlock key={index} block={block} around={{ ...around, growing: around.growing && last }} />;
  });
}

function DrawnBlock({ block, around }: { block: Node; around: Around }): JSX.Element {
  return <>{drawBlock(block, around)}</>;
}

/** Draws a block. Only the outermost element gets `dir`; the inner elements inherit it. */
function drawBlock(block: Node, around: Around, dir?: 'auto'): ComponentChildren {
  const inline = (tokens: Of<'paragraph'>['tokens']) => drawInline(nodes(tokens), around.notes);
  switch (block.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      // The headings of the page itself have the levels 1 and 2.
      return createElement(`h${Math.min(6, block.depth + 2)}`, { dir }, inline(block.tokens));
    case 'paragraph':
      return <p dir={dir}>{inline(block.tokens)}</p>;
    case 'blockquote':
      return <blockquote dir={dir}>{drawBlocks(nodes(block.tokens), around)}</blockquote>;
    case 'hr':
      return <hr />;
    case 'list':
      return drawList(block, around, dir);
    case 'table':
      return drawTable(block, around, dir);
    case 'code':
      return drawCode(block, around);
    case 'math':
      return <Formula formula={block} />;
    case 'details':
      return (
        <details open={block.unfolded} dir={dir}>
          <summary>{block.summary.length > 0 ? inline(block.summary) : t('reply.details')}</summary>
          {drawBlocks(nodes(block.tokens), around)}
        </details>
      );
    case 'noteText':
      return <Note label={block.label}>{drawBlocks(nodes(block.tokens), around)}</Note>;
    case 'html':
      return <p class="as-written">{drawInline([block], around.notes)}</p>;
    default:
      return drawInline([block], around.notes);
  }
}

function drawList({ ordered, start, items }: Of<'list'>, around: Around, dir?: 'auto'): VNode {
  const drawn = items.map((item, index) => {
    const growing = around.growing && index === items.length - 1;
    return <li key={index}>{drawBlocks(nodes(item.tokens), { ...around, growing })}</li>;
  });
  if (!ordered) return <ul dir={dir}>{drawn}</ul>;
  return (
    <ol dir={dir} start={Number(start)}>
      {drawn}
    </ol>
  );
}

/** A table scrolls horizontally within its section, so the section is focusable. */
function drawTable({ header, rows, align }: Of<'table'>, { notes }: Around, dir?: 'auto'): VNode {
  const row = (cells: typeof header, tag: 'th' | 'td') =>
    cells.map(({ tokens }, index) =>
      createElement(tag, { key: index, class: align[index] ?? undefined }, drawInline(nodes(tokens), notes)),
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it
    <section class="wide" tabIndex={0} aria-label={t('reply.table')} dir={dir}>
      <table>
        <thead>
          <tr>{row(header, 'th')}</tr>
        </thead>
        <tbody>
          {rows.map((cells, index) => (
            <tr key={index}>{row(cells, 'td')}</tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function drawCode({ text, raw, lang }: Of<'code'>, { growing }: Around): VNode {
  const language = lang?.split(/\s/)[0] ?? '';
  if (language.toLowerCase() !== 'mermaid') return <CodeBlock code={text} language={language} />;
  return <Diagram code={text} complete={!growing || endsWithFence(raw)} />;
}

function endsWithFence(raw: string): boolean {
  return /\n {0,3}(?:`{3,}|~{3,})\s*$/.test(raw);
}
