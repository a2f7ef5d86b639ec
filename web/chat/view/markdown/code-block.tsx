import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { CopyButton } from '../copy-button.tsx';
import { lazy, useLazy } from '../lazy.ts';
import type { Piece } from './highlight.ts';

const highlighter = lazy(() => import('./highlight.ts'));

/** Code of up to this length is coloured, in characters. Beyond it colours would take a second. */
const LONGEST = 100_000;
/** The same for code that is still being written: it is coloured anew with every word. */
const LONGEST_GROWING = 6_000;

interface CodeBlockProps {
  code: string;
  /** As the text names it; '' if it does not. */
  language: string;
  /** False while more of it may come. */
  complete: boolean;
  /** Buttons besides the one that copies. */
  children?: ComponentChildren;
}

export function CodeBlock({ code, language, complete, children }: CodeBlockProps): JSX.Element {
  return (
    <figure class="code-block" dir="ltr">
      <figcaption>
        <span>{language || 'text'}</span>
        <span class="row">
          {children}
          <CopyButton text={code} label="Copy the code" />
        </span>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it */}
      <pre tabIndex={0}>
        <Code code={code} language={language} complete={complete} />
      </pre>
    </figure>
  );
}

function Code({ code, language, complete }: Omit<CodeBlockProps, 'children'>): JSX.Element {
  const colourable = language !== '' && code.length <= (complete ? LONGEST : LONGEST_GROWING);
  const library = useLazy(highlighter, colourable);
  const pieces = useMemo(
    () => (colourable ? library?.highlight(code, language.toLowerCase()) : null),
    [library, colourable, code, language],
  );
  return <code>{pieces ? drawPieces(pieces) : code}</code>;
}

function drawPieces(pieces: Piece[]): ComponentChildren[] {
  return pieces.map((piece, index) =>
    typeof piece === 'string' ? (
      piece
    ) : (
      <span key={index} class={piece.kinds}>
        {drawPieces(piece.pieces)}
      </span>
    ),
  );
}
