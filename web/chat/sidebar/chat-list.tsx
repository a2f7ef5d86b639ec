import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { Summary } from '../conversation/conversation.ts';
import { shownTitle } from '../messages/shown-title.ts';
import { ChatItem } from './chat-item.tsx';
import { Folder } from './folder.tsx';
import { inOrder, shelvesOf } from './folders.ts';
import { useClosedFolders } from './use-closed-folders.ts';
import type { ChatSearchResult } from './use-search.ts';

interface ChatListProps {
  summaries: Summary[];
  /** The names of all folders. */
  folders: string[];
  /** True if the chats are the results of a search. Then all folders are open. */
  searching: boolean;
  currentId: string;
  /** The ids of the chats in which a reply grows or a tool runs. */
  running: string[];
  /** The result of the search; null if there is none. */
  found: ChatSearchResult | null;
  onLeave: () => void;
}

/** The list of chats: the pinned chats, the folders, and the chats in no folder. */
export function ChatList(props: ChatListProps): JSX.Element {
  const { summaries, folders, searching, currentId, running, found, onLeave } = props;
  const { isOpen, setOpen } = useClosedFolders(folders);
  const list = useRef<HTMLUListElement>(null);
  const { pinned, folders: shown, loose } = shelvesOf(summaries);
  /** Moves the focus to the moved chat: its row is drawn as a new element in the folder. */
  const followMove = (id: string, folder: string) => {
    if (folder !== '' && !isOpen(folder)) setOpen(folder, true);
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLElement>(`[data-chat="${CSS.escape(id)}"] .chat-open`)?.focus(),
    );
  };
  const draw = (summary: Summary) => (
    <ChatItem
      key={summary.id}
      summary={summary}
      folders={folders}
      current={summary.id === currentId}
      running={running.includes(summary.id)}
      find={found?.places.get(summary.id)}
      words={found?.words ?? ''}
      onLeave={onLeave}
      onMoved={followMove}
    />
  );
  return (
    <ul class="chats" ref={list}>
      {pinned.map(draw)}
      {shown.map(({ name, chats }) => (
        <Folder
          key={`folder ${name}`}
          name={name}
          folders={folders}
          count={chats.length}
          open={searching || isOpen(name)}
          onOpen={(open) => setOpen(name, open)}
          onLeave={onLeave}
        >
          {chats.map(draw)}
        </Folder>
      ))}
      {loose.map(draw)}
    </ul>
  );
}

interface ChatChoiceProps {
  summaries: Summary[];
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
}

/** The list with a check box for each conversation, to delete or move several together. */
export function ChatChoice({ summaries, chosen, onChange }: ChatChoiceProps): JSX.Element {
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    onChange(next);
  };
  return (
    <ul class="chats">
      {inOrder(shelvesOf(summaries)).map(({ id, title, folder }) => (
        <li key={id} class={chosen.has(id) ? 'chat current' : 'chat'}>
          <label class="chat-choice">
            <input type="checkbox" checked={chosen.has(id)} onChange={() => toggle(id)} />
            <span>{shownTitle(title)}</span>
            {folder !== '' && <span class="muted choice-folder">{folder}</span>}
          </label>
        </li>
      ))}
    </ul>
  );
}
