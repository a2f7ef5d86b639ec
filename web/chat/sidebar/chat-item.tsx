import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Summary } from '../conversation/conversation.ts';
import { t } from '../messages/language.ts';
import { shownTitle } from '../messages/shown-title.ts';
import { MoreIcon, PinIcon, TrashIcon } from '../parts/icons.tsx';
import { onEscape } from '../parts/on-escape.ts';
import { IconButton } from '../parts/parts.tsx';
import { RenameField } from '../parts/rename-field.tsx';
import { focusIfLost, useFocusBack } from '../parts/use-focus-back.ts';
import { useActions } from '../state/use-actions.ts';
import { ChatMenu } from './chat-menu.tsx';
import { MoveTo } from './move-to.tsx';
import type { SearchHit } from './search.ts';

interface ChatItemProps {
  summary: Summary;
  /** The names of all folders. */
  folders: string[];
  current: boolean;
  /** True while a reply grows or a tool runs in the conversation. */
  running: boolean;
  /** The place where a search found `words` in the conversation. */
  find: SearchHit | undefined;
  words: string;
  /** Called when the conversation is opened. */
  onLeave: () => void;
  /** Called when the conversation is moved into a folder, or out of its folder: then `folder` is ''. */
  onMoved: (id: string, folder: string) => void;
}

/** The part of an item that is open below its row. `renaming` takes the place of the row. */
type OpenPart = 'menu' | 'moving' | 'renaming' | null;

/** A conversation in the list: its row, the place where a search found words, and its menu. */
export function ChatItem(props: ChatItemProps): JSX.Element {
  const { summary, folders: names, current, find, onMoved } = props;
  const { conversations, folders } = useActions();
  const [part, setPart] = useState<OpenPart>(null);
  const { part: item, focusBack } = useFocusBack<HTMLLIElement>('.chat-open');
  const { id, folder } = summary;
  const title = shownTitle(summary.title);
  const hasMenu = part === 'menu' || part === 'moving';
  const close = () => {
    setPart(null);
    focusBack();
  };
  return (
    <li
      class={current ? 'chat current' : 'chat'}
      ref={item}
      data-chat={id}
      onKeyDown={hasMenu ? onEscape(close) : undefined}
    >
      {part === 'renaming' ? (
        <RenameField
          label={t('chats.titleOf', { title })}
          name={title}
          onRename={(next) => conversations.rename(id, next)}
          onDone={(byKey) => {
            setPart(null);
            if (byKey) focusBack();
          }}
        />
      ) : (
        <ChatRow {...props} title={title} hasMenu={hasMenu} onMenu={() => setPart(hasMenu ? null : 'menu')} />
      )}
      {find && (
        <p class="chat-excerpt">
          {find.file !== undefined && <b>{t('chats.inFile', { name: find.file })} </b>}
          {find.excerpt}
        </p>
      )}
      {part === 'menu' && (
        <ChatMenu
          summary={summary}
          onRename={() => setPart('renaming')}
          onMove={() => setPart('moving')}
          onDone={close}
        />
      )}
      {part === 'moving' && (
        <MoveTo
          folders={names}
          current={folder}
          canLeave={folder !== ''}
          onMove={(name) => {
            setPart(null);
            folders.move([id], name);
            onMoved(id, name);
          }}
        />
      )}
    </li>
  );
}

interface ChatRowProps extends ChatItemProps {
  title: string;
  /** True while the menu is open. */
  hasMenu: boolean;
  onMenu: () => void;
}

/** The row of a conversation: a button that opens it, its signs, and the buttons for the menu and for deleting. */
function ChatRow(props: ChatRowProps): JSX.Element {
  const { summary, title, current, running, find, words, hasMenu, onMenu, onLeave } = props;
  const { conversations, search } = useActions();
  const row = useRef<HTMLDivElement>(null);
  const { id, pinned } = summary;
  const remove = () => {
    const item = row.current?.closest('li');
    const beside = item?.nextElementSibling ?? item?.previousElementSibling;
    const list = item?.closest('nav');
    conversations.remove([id]);
    focusIfLost(() => beside?.querySelector<HTMLElement>('button') ?? list?.querySelector<HTMLElement>('.new-chat'));
  };
  return (
    <div class="chat-row" ref={row}>
      <button
        type="button"
        class="chat-open"
        aria-current={current ? 'page' : undefined}
        onClick={() => {
          void (find ? search.open(id, find, words) : conversations.open(id));
          onLeave();
        }}
      >
        {title}
      </button>
      {running && <span class="chat-running" role="img" aria-label={t('chats.running')} title={t('chats.running')} />}
      {pinned && (
        <span class="chat-pinned" role="img" aria-label={t('chats.pinned')} title={t('chats.pinned')}>
          <PinIcon />
        </span>
      )}
      <IconButton label={t('chats.moreAbout', { title })} expanded={hasMenu} onClick={onMenu}>
        <MoreIcon />
      </IconButton>
      <IconButton label={t('chats.delete', { title })} onClick={remove}>
        <TrashIcon />
      </IconButton>
    </div>
  );
}
