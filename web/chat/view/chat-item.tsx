import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Summary } from '../data/conversation.ts';
import { t } from '../messages/language.ts';
import { shownTitle } from '../messages/shown-title.ts';
import { useActions } from './actions.ts';
import { MoreIcon, PinIcon, TrashIcon } from './icons.tsx';
import { onEscape } from './on-escape.ts';
import { IconButton } from './parts.tsx';
import { fileNameOf, saveFile } from './save-file.ts';

interface ChatItemProps {
  summary: Summary;
  current: boolean;
  /** True while a reply grows in it. */
  running: boolean;
  /** The words around what was looked for. */
  excerpt: string | undefined;
  /** Called when it is opened. */
  onLeave: () => void;
}

/** A conversation in the list: a button that opens it, its marks, and what can be done with it. */
export function ChatItem({ summary, current, running, excerpt, onLeave }: ChatItemProps): JSX.Element {
  const { conversations } = useActions();
  const [more, setMore] = useState(false);
  const [renaming, setRenaming] = useState(false);
  const item = useRef<HTMLLIElement>(null);
  const { id, pinned } = summary;
  const title = shownTitle(summary.title);
  /** Keeps the focus in the row when what has it goes. */
  const focusRow = () => requestAnimationFrame(() => item.current?.querySelector<HTMLElement>('.chat-open')?.focus());
  const close = () => {
    setMore(false);
    focusRow();
  };
  return (
    <li class={current ? 'chat current' : 'chat'} ref={item} onKeyDown={more ? onEscape(close) : undefined}>
      {renaming ? (
        <Rename
          summary={summary}
          onDone={(byKey) => {
            setRenaming(false);
            if (byKey) focusRow();
          }}
        />
      ) : (
        <div class="chat-row">
          <button
            type="button"
            class="chat-open"
            aria-current={current ? 'page' : undefined}
            onClick={() => {
              void conversations.open(id);
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
          <IconButton label={t('chats.moreAbout', { title })} expanded={more} onClick={() => setMore(!more)}>
            <MoreIcon />
          </IconButton>
          <IconButton label={t('chats.delete', { title })} onClick={() => conversations.remove([id])}>
            <TrashIcon />
          </IconButton>
        </div>
      )}
      {excerpt !== undefined && <p class="chat-excerpt">{excerpt}</p>}
      {more && (
        <More
          summary={summary}
          onRename={() => {
            setMore(false);
            setRenaming(true);
          }}
          onDone={close}
        />
      )}
    </li>
  );
}

interface MoreProps {
  summary: Summary;
  onRename: () => void;
  onDone: () => void;
}

function More({ summary: { id, title: stored, pinned }, onRename, onDone }: MoreProps): JSX.Element {
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
      <button type="button" class="button quiet" onClick={does(() => void save('markdown'))}>
        {t('chats.saveMarkdown')}
      </button>
      <button type="button" class="button quiet" onClick={does(() => void save('json'))}>
        {t('chats.saveJson')}
      </button>
    </fieldset>
  );
}

interface RenameProps {
  summary: Summary;
  /** `byKey` is false if the field was left for something else. */
  onDone: (byKey: boolean) => void;
}

/** Enter and leaving the field rename the conversation. Escape leaves its title as it is. */
function Rename({ summary, onDone }: RenameProps): JSX.Element {
  const { id } = summary;
  const title = shownTitle(summary.title);
  const { conversations } = useActions();
  const [text, setText] = useState(title);
  const field = useRef<HTMLInputElement>(null);
  const isOver = useRef(false);
  useEffect(() => field.current?.select(), []);
  const end = (renamed: boolean, byKey: boolean) => {
    // The field is also left when it is removed.
    if (isOver.current) return;
    isOver.current = true;
    if (renamed && text.trim() !== '' && text.trim() !== title) conversations.rename(id, text.trim());
    onDone(byKey);
  };
  return (
    <form
      class="chat-rename"
      onSubmit={(event) => {
        event.preventDefault();
        end(true, true);
      }}
    >
      <input
        ref={field}
        value={text}
        aria-label={t('chats.titleOf', { title })}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onBlur={() => end(true, false)}
        onKeyDown={onEscape(() => end(false, true))}
      />
    </form>
  );
}
