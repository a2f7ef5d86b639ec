import type { JSX } from 'preact';
import { CopyButton } from './copy-button.tsx';

export function CodeBlock({ code, language }: { code: string; language: string }): JSX.Element {
  return (
    <figure class="code-block">
      <figcaption>
        <span>{language || 'text'}</span>
        <CopyButton text={code} label="Copy the code" />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}
