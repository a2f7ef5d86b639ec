import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../messages/language.ts';
import { ChevronIcon, MoreIcon } from '../parts/icons.tsx';
import { onEscape } from '../parts/on-escape.ts';
import { IconButton } from '../parts/parts.tsx';
import { RenameField } from '../parts/rename-field.tsx';
import { useFocusBack } from '../parts/use-focus-back.ts';
import { useActions } from '../state/use-actions.ts';
import { FOLDER_NAME_LENGTH, folderName } from './folder-name.ts';

interface FolderProps {
  name: string;
  /** The names of all folders. */
  folders: string[];
  /** The number of chats in the folder. */
  count: number;
  open: boolean;
  onOpen: (open: boolean) => void;
  /** Called when a chat is begun in the folder. */
  onLeave: () => void;
  children: ComponentChildren;
}

/** A folder in the list of chats: a button that shows and hides its chats, and a menu. */
export function Folder({ name, folders, count, open, onOpen, onLeave, children }: FolderProps): JSX.Element {
  const actions = useActions().folders;
  const [more, setMore] = useState(false);
  const [renaming, setRenaming] = useState(false);
  const { part: item, focusBack } = useFocusBack<HTMLLIElement>('.folder-open');
  const close = () => {
    setMore(false);
    focusBack();
  };
  return (
    <li class="folder" ref={item} onKeyDown={more ? onEscape(close) : undefined}>
      {renaming ? (
        <RenameField
          label={t('folders.nameOf', { name })}
          name={name}
          maxLength={FOLDER_NAME_LENGTH}
          onRename={(next) => actions.rename(name, folderName(next, others(folders, name)))}
          onDone={(byKey) => {
            setRenaming(false);
            if (byKey) focusBack();
          }}
        />
      ) : (
        <div class="chat">
          <div class="chat-row">
            <button type="button" class="chat-open folder-open" aria-expanded={open} onClick={() => onOpen(!open)}>
              <ChevronIcon />
              <span class="folder-name">{name}</span>
              <span class="folder-count">{count}</span>
            </button>
            <IconButton label={t('folders.moreAbout', { name })} expanded={more} onClick={() => setMore(!more)}>
              <MoreIcon />
            </IconButton>
          </div>
          {more && (
            <fieldset class="chat-more" aria-label={t('folders.moreAbout', { name })}>
              <button
                type="button"
                class="button quiet"
                onClick={() => {
                  setMore(false);
                  actions.begin(name);
                  onLeave();
                }}
              >
                {t('folders.newChat')}
              </button>
              <button
                type="button"
                class="button quiet"
                onClick={() => {
                  setMore(false);
                  setRenaming(true);
                }}
              >
                {t('common.rename')}
              </button>
              <button
                type="button"
                class="button quiet"
                onClick={() => {
                  close();
                  actions.remove(name);
                }}
              >
                {t('folders.remove')}
              </button>
            </fieldset>
          )}
        </div>
      )}
      {open && <ul class="folder-chats">{children}</ul>}
    </li>
  );
}

/** Returns the names of all other folders, because a folder may be renamed to its own name in another case. */
function others(folders: string[], name: string): string[] {
  return folders.filter((one) => one !== name);
}
