import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../messages/language.ts';
import { FolderIcon } from '../parts/icons.tsx';
import { FOLDER_NAME_LENGTH, folderName } from './folder-name.ts';

interface MoveToProps {
  /** The names of all folders. */
  folders: string[];
  /** The folder of all the chats; '' if they have no folder or different folders. */
  current: string;
  /** True if any of the chats is in a folder. */
  canLeave: boolean;
  /** Called with the name of the chosen folder; '' for none. */
  onMove: (name: string) => void;
}

/** Chooses a folder, or names a new one. */
export function MoveTo({ folders, current, canLeave, onMove }: MoveToProps): JSX.Element {
  const [typed, setTyped] = useState('');
  const frame = useRef<HTMLFieldSetElement>(null);
  useLayoutEffect(() => frame.current?.querySelector<HTMLElement>('button, input')?.focus(), []);
  const name = folderName(typed, folders);
  return (
    <fieldset class="chat-more move-to" aria-label={t('folders.moveTitle')} ref={frame}>
      {folders
        .filter((one) => one !== current)
        .map((one) => (
          <button key={one} type="button" class="button quiet" onClick={() => onMove(one)}>
            <FolderIcon />
            <span class="folder-name">{one}</span>
          </button>
        ))}
      {canLeave && (
        <button type="button" class="button quiet" onClick={() => onMove('')}>
          {t('folders.out')}
        </button>
      )}
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (name !== '') onMove(name);
        }}
      >
        <input
          value={typed}
          aria-label={t('folders.new')}
          placeholder={t('folders.new')}
          maxLength={FOLDER_NAME_LENGTH}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <button type="submit" class="button" disabled={name === ''}>
          {t('folders.move')}
        </button>
      </form>
    </fieldset>
  );
}
