import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useActions } from './actions.ts';
import { copyText } from './copy-text.ts';
import { CheckIcon, CopyIcon } from './icons.tsx';
import { IconButton } from './parts.tsx';

const SHOWN_MS = 1500;

/** Copies a text and confirms it for a moment. */
export function CopyButton({ text, label }: { text: string; label: string }): JSX.Element {
  const { tell } = useActions();
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    if (!(await copyText(text)))
      return tell('This browser does not let the page copy. Select the text and copy it yourself.');
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <IconButton label={copied ? 'Copied' : label} onClick={() => void copy()}>
      {copied ? <CheckIcon /> : <CopyIcon />}
    </IconButton>
  );
}
