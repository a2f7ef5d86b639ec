import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { DrawnDiagram } from '../../diagrams/messages.ts';
import { t } from '../../messages/language.ts';
import { useDark } from '../../page/use-dark.ts';
import { CodeIcon } from '../../parts/icons.tsx';
import { IconButton } from '../../parts/parts.tsx';
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

  const picture = complete && drawn?.kind === 'picture' ? drawn : null;
  return (
    <>
      <CodeBlock
        code={code}
        language="mermaid"
        buttons={
          picture && (
            <IconButton label={t('reply.diagramCode')} pressed={asCode} onClick={() => setAsCode((before) => !before)}>
              <CodeIcon />
            </IconButton>
          )
        }
      >
        {picture && !asCode ? <Picture {...picture} /> : null}
      </CodeBlock>
      {complete && drawn?.kind === 'problem' && <p class="muted">{t('reply.noDiagram', { reason: drawn.message })}</p>}
    </>
  );
}

/**
 * A drawn diagram. In an `<img>` element, an SVG can neither run scripts nor fetch files, and its links can't be
 * clicked.
 */
function Picture({ svg, width, height, title, type }: Extract<DrawnDiagram, { kind: 'picture' }>): JSX.Element {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it
    <div class="diagram" role="group" aria-label={t('reply.diagram')} tabIndex={0}>
      <img
        src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`}
        width={width}
        height={height}
        alt={title ? t('reply.diagramTitled', { title }) : t('reply.diagramOf', { type })}
      />
    </div>
  );
}
