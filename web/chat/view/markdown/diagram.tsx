import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { DrawnDiagram } from '../../diagrams/messages.ts';
import { CodeIcon, PictureIcon } from '../icons.tsx';
import { IconButton } from '../parts.tsx';
import { useDark } from '../use-dark.ts';
import { CodeBlock } from './code-block.tsx';
import { drawDiagram } from './draw-diagram.ts';

/** A Mermaid diagram. It is shown as code until it is complete and drawn, and if it can't be drawn. */
export function Diagram({ code, complete }: { code: string; complete: boolean }): JSX.Element {
  const dark = useDark();
  const [drawn, setDrawn] = useState<DrawnDiagram | null>(null);
  const [asCode, setAsCode] = useState(false);
  useEffect(() => {
    if (!complete) return;
    let wanted = true;
    void drawDiagram(code, dark).then((diagram) => wanted && setDrawn(diagram));
    return () => {
      wanted = false;
    };
  }, [code, complete, dark]);

  if (!complete || drawn?.kind !== 'picture' || asCode) {
    return (
      <>
        <CodeBlock code={code} language="mermaid">
          {drawn?.kind === 'picture' && (
            <IconButton label="Show the diagram" onClick={() => setAsCode(false)}>
              <PictureIcon />
            </IconButton>
          )}
        </CodeBlock>
        {complete && drawn?.kind === 'problem' && <p class="muted">This diagram is not drawn: {drawn.message}</p>}
      </>
    );
  }
  return (
    <figure class="diagram">
      <IconButton label="Show the code of the diagram" onClick={() => setAsCode(true)}>
        <CodeIcon />
      </IconButton>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields */}
      <div class="wide" role="group" aria-label="Diagram" tabIndex={0}>
        {/* As an image it can neither run scripts nor fetch anything, nor be clicked. */}
        <img
          src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawn.svg)}`}
          width={drawn.width}
          height={drawn.height}
          alt={drawn.words}
        />
      </div>
    </figure>
  );
}
