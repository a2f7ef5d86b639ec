import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { CheckIcon, CopyIcon } from './icons.tsx';
import { IconButton } from './parts.tsx';

const SHOWN_MS = 1500;

/** Copies a text and confirms it for a moment. */
export function CopyButton({ text, label }: { text: string; label: string }): JSX.Element {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <IconButton label={copied ? 'Copied' : label} onClick={() => void copy().catch(() => {})}>
      {copied ? <CheckIcon /> : <CopyIcon />}
    </IconButton>
  );
}
