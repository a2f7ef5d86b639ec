import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../messages/language.ts';
import { lazy } from '../../parts/lazy.ts';
import { useLazy } from '../../parts/use-lazy.ts';
import type { MathToken } from './math.ts';

const typesetter = lazy(() => import('./typeset.ts'));

/** Formulas with fewer characters fit into the narrowest column, so they are not measured. */
const MEASURED_LENGTH = 40;

/** A formula. Its source is shown until it is complete and KaTeX is loaded, and if KaTeX can't read it. */
export function Formula({ formula }: { formula: MathToken }): JSX.Element {
  const { raw, text, display, open } = formula;
  const katex = useLazy(typesetter, !open);
  const [refused, setRefused] = useState<string | null>(null);
  const [wide, setWide] = useState(false);
  const place = useRef<HTMLElement>(null);
  const typeset = katex !== null && !open && refused !== text;
  useLayoutEffect(() => {
    if (!typeset || !place.current) return;
    if (!katex.typeset(text, display, place.current)) setRefused(text);
    else if (!display && text.length > MEASURED_LENGTH) setWide(isWide(place.current));
  }, [typeset, text, display]);
  // The key gives the source and the typeset formula different elements, so that Preact never changes KaTeX's nodes.
  const how = typeset ? 'typeset' : 'source';
  const source = typeset ? null : raw.trim();
  if (!display && !wide) {
    return (
      <span key={how} ref={place} class={`formula ${how}`} dir="ltr">
        {source}
      </span>
    );
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <span
      key={how}
      ref={place}
      class={`formula display ${how}`}
      dir="ltr"
      role="group"
      aria-label={t('reply.formula')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it
      tabIndex={0}
    >
      {source}
    </span>
  );
}

/** True if the element is wider than the column of its text. */
function isWide(element: HTMLElement): boolean {
  const column = element.closest('p, li, td, th, .prose');
  return column !== null && element.getBoundingClientRect().width > column.clientWidth;
}
