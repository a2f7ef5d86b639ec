import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Summary } from '../conversation/conversation.ts';
import { t } from '../messages/language.ts';
import { shownTitle } from '../messages/shown-title.ts';
import { MoreIcon, PinIcon, TrashIcon } from '../parts/icons.tsx';
import { onEscape } from '../parts/on-escape.ts';
import { IconButton } from '../parts/parts.tsx';
import { RenameField } from '../parts/rename-field.tsx';
import { fileNameOf, saveFile } from '../parts/save-file.ts';
import { focusIfLost, useFocusBack } from '../parts/use-focus-back.ts';
import { useActions } from '../state/use-actions.ts';
import { MoveTo } from './move-to.tsx';
import type { Find } from './search.ts';

interface ChatItemProps {
  summary: Summary;
  /** The names of all folders. */
  folders: string[];
  current: boolean;
  /** True while a reply grows in it. */
  running: boolean;
  /** Where these words were found in it. */
  find: Find | undefined;
  words: string;
  /** Called when it is opened. */
  onLeave: () => void;
  /** Called when it is put into a folder, or taken out with ''. */
  onMoved: (id: string, folder: string) => void;
}

/** A conversation in the list: a button that opens it, its marks, and what can be done with it. */
export function ChatItem(props: ChatItemProps): JSX.Element {
  const { summary, folders: names, current, running, find, words, onLeave, onMoved } = props;
  const { conversations, folders, search } = useActions();
  const [more, setMore] = useState(false);
  const [moving, setMoving] = useState(false);
  const [renaming, setRenaming] = useState(false);
  const { part: item, focusBack } = useFocusBack<HTMLLIElement>('.chat-open');
  const { id, pinned, folder } = summary;
  const title = shownTitle(summary.title);
  const close = () => {
    setMore(false);
    setMoving(false);
    focusBack();
  };
  const remove = () => {
    const row = item.current;
    const beside = row?.nextElementSibling ?? row?.previousElementSibling;
    const list = row?.closest('nav');
    conversations.remove([id]);
    focusIfLost(() => beside?.querySelector<HTMLElement>('button') ?? list?.querySelector<HTMLElement>('.new-chat'));
  };
  return (
    <li
      class={current ? 'chat current' : 'chat'}
      ref={item}
      data-chat={id}
      onKeyDown={more || moving ? onEscape(close) : undefined}
    >
      {renaming ? (
        <RenameField
          label={t('chats.titleOf', { title })}
          name={title}
          onRename={(next) => conversations.rename(id, next)}
          onDone={(byKey) => {
            setRenaming(false);
            if (byKey) focusBack();
          }}
        />
      ) : (
        <div class="chat-row">
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
          {running && (
            <span class="chat-running" role="img" aria-label={t('chats.running')} title={t('chats.running')} />
          )}
          {pinned && (
            <span class="chat-pinned" role="img" aria-label={t('chats.pinned')} title={t('chats.pinned')}>
              <PinIcon />
            </span>
          )}
          <IconButton
            label={t('chats.moreAbout', { title })}
            expanded={more || moving}
            onClick={() => {
              setMore(!more && !moving);
              setMoving(false);
            }}
          >
            <MoreIcon />
          </IconButton>
          <IconButton label={t('chats.delete', { title })} onClick={remove}>
            <TrashIcon />
          </IconButton>
        </div>
      )}
      {find && (
        <p class="chat-excerpt">
          {find.file !== undefined && <b>{t('chats.inFile', { name: find.file })} </b>}
          {find.excerpt}
        </p>
      )}
      {more && (
        <More
          summary={summary}
          onRename={() => {
            setMore(false);
            setRenaming(true);
          }}
          onMove={() => {
            setMore(false);
            setMoving(true);
          }}
          onDone={close}
        />
      )}
      {moving && (
        <MoveTo
          folders={names}
          current={folder}
          canLeave={folder !== ''}
          onMove={(name) => {
            setMoving(false);
            folders.move([id], name);
            onMoved(id, name);
          }}
        />
      )}
    </li>
  );
}

interface MoreProps {
  summary: Summary;
  onRename: () => void;
  onMove: () => void;
  onDone: () => void;
}

function More({ summary: { id, title: stored, pinned }, onRename, onMove, onDone }: MoreProps): JSX.Element {
  const title = shownTitle(stored);
  const { conversations, tell } = useActions();
  const save = async (form: 'markdown' | 'json') => {
    const text = await conversations.exportOne(id, form);
    if (form === 'json') saveFile(`${fileNameOf(title)}.json`, text, 'application/json');
    else saveFile(`${fileNameOf(title)}.md`, text, 'text/markdown');
    tell(t('chats.saved', { title }));
  };
  const does = (act: () => void) => () => {
    onDone();
    act();
  };
  return (
    <fieldset class="chat-more" aria-label={t('chats.moreAbout', { title })}>
      <button type="button" class="button quiet" onClick={onRename}>
        {t('common.rename')}
      </button>
      <button type="button" class="button quiet" onClick={does(() => conversations.pin(id, !pinned))}>
        {pinned ? t('chats.unpin') : t('chats.pin')}
      </button>
      <button type="button" class="button quiet" onClick={onMove}>
        {t('folders.moveTo')}
      </button>
      <button type="button" class="button quiet" onClick={does(() => void save('markdown'))}>
        {t('chats.saveMarkdown')}
      </button>
      <button type="button" class="button quiet" onClick={does(() => void save('json'))}>
        {t('chats.saveJson')}
      </button>
    </fieldset>
  );
}
