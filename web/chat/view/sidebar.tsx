import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { State } from '../data/state.ts';
import { summariesOf } from '../data/tree/view.ts';
import { useActions } from './actions.ts';
import { NOT_KEPT } from './greeting.tsx';
import { PlusIcon, TrashIcon } from './icons.tsx';
import { IconButton } from './parts.tsx';
import { saveFile } from './save-file.ts';
import { ThemeChoice } from './theme-choice.tsx';

/** Lists the stored conversations. `onLeave` is called when one is chosen. */
export function Sidebar({ state, onLeave }: { state: State; onLeave: () => void }): JSX.Element {
  const { conversations } = useActions();
  const summaries = useMemo(() => summariesOf(state.chats), [state.chats.heads]);
  return (
    <nav class="sidebar" aria-label="Chats">
      <p class="brand">
        <img src="./icon.svg" alt="" width="24" height="24" />
        Paddock
      </p>
      <button
        type="button"
        class="button new-chat"
        onClick={() => {
          conversations.begin();
          onLeave();
        }}
      >
        <PlusIcon />
        New chat
      </button>
      {(summaries.length === 0 || !state.kept) && (
        <p class="muted chats-none">{state.kept ? 'Your chats are kept here, in this browser.' : NOT_KEPT}</p>
      )}
      <ul class="chats">
        {summaries.map(({ id, title }) => (
          <li key={id} class={id === state.currentId ? 'chat current' : 'chat'}>
            <button
              type="button"
              class="chat-open"
              aria-current={id === state.currentId ? 'page' : undefined}
              onClick={() => {
                void conversations.open(id);
                onLeave();
              }}
            >
              {title}
            </button>
            <IconButton label={`Delete ${title}`} onClick={() => conversations.remove(id)}>
              <TrashIcon />
            </IconButton>
          </li>
        ))}
      </ul>
      <SidebarFoot empty={summaries.length === 0} />
    </nav>
  );
}

function SidebarFoot({ empty }: { empty: boolean }): JSX.Element {
  const { conversations } = useActions();
  const exportAll = async () => {
    const day = new Date().toISOString().slice(0, 10);
    saveFile(`paddock-chats-${day}.json`, await conversations.exportAll());
  };
  return (
    <footer class="sidebar-foot">
      <div class="row">
        <button type="button" class="button quiet" disabled={empty} onClick={() => void exportAll()}>
          Export
        </button>
        <label class="button quiet file-button">
          Import
          <input
            type="file"
            accept=".json,application/json"
            aria-label="Import chats"
            onChange={({ currentTarget }) => {
              const file = currentTarget.files?.[0];
              if (file) void conversations.importAll(file);
              currentTarget.value = '';
            }}
          />
        </label>
      </div>
      <ThemeChoice />
    </footer>
  );
}
