import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../messages/language.ts';
import { useActions } from '../state/use-actions.ts';
import { copyText } from './copy-text.ts';
import { CheckIcon, CopyIcon } from './icons.tsx';
import { IconButton } from './parts.tsx';

const SHOWN_MS = 1500;

interface CopyButtonProps {
  /** The text, or a function that makes it on a click. */
  text: string | (() => string);
  label: string;
  icon?: JSX.Element;
}

/** Copies a text and confirms it for a moment. */
export function CopyButton({ text, label, icon = <CopyIcon /> }: CopyButtonProps): JSX.Element {
  const { tell } = useActions();
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    if (!(await copyText(typeof text === 'string' ? text : text()))) return tell(t('page.selectToCopy'));
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <IconButton label={copied ? t('page.copied') : label} onClick={() => void copy()}>
      {copied ? <CheckIcon /> : icon}
    </IconButton>
  );
}
