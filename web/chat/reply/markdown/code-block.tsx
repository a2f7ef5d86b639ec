import type { ComponentChildren, JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { t } from '../../messages/language.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { lazy } from '../../parts/lazy.ts';
import { useLazy } from '../../parts/use-lazy.ts';
import { useNear } from '../../parts/use-near.ts';
import type { CodePiece } from './highlight.ts';
import { lineGroups } from './line-groups.ts';

const highlighter = lazy(() => import('./highlight.ts'));

interface CodeBlockProps {
  code: string;
  /** The language that the text names; '' if it names none. */
  language: string;
  /** Further buttons, besides the copy button. */
  buttons?: ComponentChildren;
  /** Shown in the place of the code, if set. */
  children?: ComponentChildren;
}

export function CodeBlock({ code, language, buttons, children }: CodeBlockProps): JSX.Element {
  return (
    <figure class="code-block" dir="ltr">
      <figcaption>
        <span>{language || t('reply.plainCode')}</span>
        <span class="row">
          {buttons}
          <CopyButton text={code} label={t('reply.copyCode')} />
        </span>
      </figcaption>
      {children ?? <Code code={code} language={language} />}
    </figure>
  );
}

function Code({ code, language }: { code: string; language: string }): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it
    <pre tabIndex={0}>
      <code>
        {lineGroups(code).map((lines, index) => (
          // The key is the index, because code grows only at its end.
          <Lines key={index} lines={lines} language={language.toLowerCase()} />
        ))}
      </code>
    </pre>
  );
}

/**
 * A group of lines of code. Each group is coloured on its own when it comes into view, so that neither long nor growing
 * code blocks the page.
 */
function Lines({ lines, language }: { lines: string; language: string }): JSX.Element {
  const place = useRef<HTMLSpanElement>(null);
  const near = useNear(place);
  const library = useLazy(highlighter, near && language !== '');
  const drawn = useMemo(() => {
    const pieces = near && library ? library.highlight(lines, language) : null;
    return pieces ? drawPieces(pieces) : lines;
  }, [library, near, lines, language]);
  return (
    <span ref={place} class="lines">
      {drawn}
    </span>
  );
}

function drawPieces(pieces: CodePiece[]): ComponentChildren[] {
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
