import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../messages/language.ts';
import { FileIcon } from '../parts/icons.tsx';
import { describeFile, firstLinesOf, type TextFile } from './text-file.ts';

interface FileCardProps {
  file: TextFile;
  /** Moves the text into the message. Only set for a pasted text. */
  onPutIn?: () => void;
}

/** A file attached to the draft: its name, its size and its first lines. */
export function FileCard({ file, onPutIn }: FileCardProps): JSX.Element {
  return (
    <figure class="file-card">
      <FileHead file={file} />
      <p class="file-look" dir="auto">
        {firstLinesOf(file)}
      </p>
      {onPutIn && (
        <button type="button" class="link" onClick={onPutIn}>
          {t('files.putIn')}
        </button>
      )}
    </figure>
  );
}

/** A file of a sent message, collapsed. Its text is drawn when the reader expands it. */
export function SentFile({ file }: { file: TextFile }): JSX.Element {
  const [open, setOpen] = useState(false);
  return (
    <details class="sent-file" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <FileHead file={file} />
      </summary>
      {open && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        <section class="sent-text" dir="auto" tabIndex={0} aria-label={file.name}>
          {file.text}
        </section>
      )}
    </details>
  );
}

function FileHead({ file }: { file: TextFile }): JSX.Element {
  return (
    <span class="file-head">
      <FileIcon />
      <span class="file-name" title={file.name}>
        {file.name}
      </span>
      <span class="file-size">{describeFile(file, t)}</span>
    </span>
  );
}
