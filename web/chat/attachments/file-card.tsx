import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../messages/language.ts';
import { FileIcon } from '../parts/icons.tsx';
import { beginningOf, describeFile, type TextFile } from './text-file.ts';

interface FileCardProps {
  file: TextFile;
  /** Puts its text into the message instead. Only a paste offers that. */
  onPutIn?: () => void;
}

/** A file of the message that is being written: its name, its size and how it begins. */
export function FileCard({ file, onPutIn }: FileCardProps): JSX.Element {
  return (
    <figure class="file-card">
      <FileHead file={file} />
      <p class="file-look" dir="auto">
        {beginningOf(file)}
      </p>
      {onPutIn && (
        <button type="button" class="link" onClick={onPutIn}>
          {t('files.putIn')}
        </button>
      )}
    </figure>
  );
}

/** A file of a message that was sent, folded. Its text is drawn when it is unfolded. */
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
