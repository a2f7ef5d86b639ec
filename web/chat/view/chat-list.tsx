import type { JSX } from 'preact';
import type { Summary } from '../data/conversation.ts';
import { shownTitle } from '../messages/shown-title.ts';
import { ChatItem } from './chat-item.tsx';

interface ChatListProps {
  summaries: Summary[];
  currentId: string;
  /** The ids of those in which a reply grows. */
  running: string[];
  /** By the id of the conversation: the words around what was looked for. */
  excerpts: ReadonlyMap<string, string> | undefined;
  onLeave: () => void;
}

export function ChatList({ summaries, currentId, running, excerpts, onLeave }: ChatListProps): JSX.Element {
  return (
    <ul class="chats">
      {summaries.map((summary) => (
        <ChatItem
          key={summary.id}
          summary={summary}
          current={summary.id === currentId}
          running={running.includes(summary.id)}
          excerpt={excerpts?.get(summary.id)}
          onLeave={onLeave}
        />
      ))}
    </ul>
  );
}

interface ChatChoiceProps {
  summaries: Summary[];
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
}

/** The list with a check box for each conversation, to delete several at once. */
export function ChatChoice({ summaries, chosen, onChange }: ChatChoiceProps): JSX.Element {
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    onChange(next);
  };
  return (
    <ul class="chats">
      {summaries.map(({ id, title }) => (
        <li key={id} class={chosen.has(id) ? 'chat current' : 'chat'}>
          <label class="chat-choice">
            <input type="checkbox" checked={chosen.has(id)} onChange={() => toggle(id)} />
            <span>{shownTitle(title)}</span>
          </label>
        </li>
      ))}
    </ul>
  );
}
