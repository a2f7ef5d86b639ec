import type { JSX, Ref } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { summariesOf } from '../conversation/tree/view.ts';
import { t } from '../messages/language.ts';
import { LanguageChoice } from '../page/language-choice.tsx';
import { ThemeChoice } from '../page/theme-choice.tsx';
import { PlusIcon } from '../parts/icons.tsx';
import { onEscape } from '../parts/on-escape.ts';
import { saveFile } from '../parts/save-file.ts';
import { useLanguage } from '../parts/use-language.ts';
import { listPrompts } from '../prompts/prompts.ts';
import { runningIds } from '../state/selectors.ts';
import type { State } from '../state/state.ts';
import { useActions } from '../state/use-actions.ts';
import { ChatChoice, ChatList } from './chat-list.tsx';
import { ChoiceFoot } from './choice-foot.tsx';
import { folderNames } from './folders.ts';
import { hasWords } from './search.ts';
import { useSearch } from './use-search.ts';

interface SidebarProps {
  state: State;
  /** Called when a conversation is chosen. */
  onLeave: () => void;
  onHelp: () => void;
}

/** Lists the stored conversations, or those in which something was found. */
export function Sidebar({ state, onLeave, onHelp }: SidebarProps): JSX.Element {
  const { conversations } = useActions();
  const t = useLanguage();
  const [typed, setTyped] = useState('');
  /** The conversations that are chosen to be deleted or moved; null while none are to be chosen. */
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null);
  const words = typed.trim();
  const found = useSearch(words);
  const all = useMemo(() => summariesOf(state.chats), [state.chats.heads]);
  const summaries = useMemo(
    () =>
      words === ''
        ? all
        : all.filter(
            ({ id, title, folder }) => [title, folder].some((text) => hasWords(text, words)) || found?.places.has(id),
          ),
    [all, words, found],
  );
  const folders = useMemo(() => folderNames(all), [all]);
  const running = runningIds(state);
  const choose = useRef<HTMLButtonElement>(null);
  const begin = useRef<HTMLButtonElement>(null);
  const leave = useRef(onLeave);
  leave.current = onLeave;
  // A reply that grows changes nothing here, and the list may be long.
  const list = useMemo(
    () =>
      chosen ? (
        <ChatChoice summaries={summaries} chosen={chosen} onChange={setChosen} />
      ) : (
        <ChatList
          summaries={summaries}
          folders={folders}
          searching={words !== ''}
          currentId={state.currentId}
          running={running}
          found={found}
          onLeave={() => leave.current()}
        />
      ),
    [summaries, folders, chosen, state.currentId, running.join(), found, t],
  );
  const endChoice = () => {
    setChosen(null);
    // The button that had the focus goes. Where no chat is left, there is nothing to choose.
    requestAnimationFrame(() => (choose.current?.disabled ? begin : choose).current?.focus());
  };
  return (
    <nav class="sidebar" aria-label={t('chats.title')} onKeyDown={chosen ? onEscape(endChoice) : undefined}>
      <p class="brand">
        <img src="./icon.svg" alt="" width="24" height="24" />
        Paddock
      </p>
      <button
        type="button"
        class="button new-chat"
        ref={begin}
        onClick={() => {
          conversations.begin();
          onLeave();
        }}
      >
        <PlusIcon />
        {t('chats.new')}
      </button>
      {all.length > 0 && <Search typed={typed} onType={setTyped} />}
      {(all.length === 0 || !state.kept) && (
        <p class="muted chats-none">{state.kept ? t('chats.keptHere') : t('greeting.notKept')}</p>
      )}
      <p class={words !== '' && summaries.length === 0 ? 'muted chats-none' : 'hidden'} role="status">
        {words !== '' && found?.words === words && foundText(summaries.length)}
      </p>
      {list}
      {chosen ? (
        <ChoiceFoot summaries={summaries} folders={folders} chosen={chosen} onChange={setChosen} onDone={endChoice} />
      ) : (
        <SidebarFoot
          empty={all.length === 0}
          hasPrompts={listPrompts(state.prompts).length > 0}
          choose={choose}
          onChoose={() => setChosen(new Set())}
          onHelp={onHelp}
        />
      )}
    </nav>
  );
}

function Search({ typed, onType }: { typed: string; onType: (typed: string) => void }): JSX.Element {
  return (
    <input
      type="search"
      class="chat-search"
      placeholder={t('chats.search')}
      aria-label={t('chats.searchChats')}
      value={typed}
      onInput={({ currentTarget }) => onType(currentTarget.value)}
      onKeyDown={typed === '' ? undefined : onEscape(() => onType(''))}
    />
  );
}

interface SidebarFootProps {
  empty: boolean;
  hasPrompts: boolean;
  /** The button that begins to choose. */
  choose: Ref<HTMLButtonElement>;
  onChoose: () => void;
  onHelp: () => void;
}

function SidebarFoot({ empty, hasPrompts, choose, onChoose, onHelp }: SidebarFootProps): JSX.Element {
  const { conversations } = useActions();
  const exportAll = async () => {
    const day = new Date().toISOString().slice(0, 10);
    saveFile(`paddock-chats-${day}.json`, await conversations.exportAll(), 'application/json');
  };
  return (
    <footer class="sidebar-foot">
      <div class="row">
        <button type="button" class="button quiet" disabled={empty && !hasPrompts} onClick={() => void exportAll()}>
          {t('chats.export')}
        </button>
        <label class="button quiet file-button">
          {t('chats.import')}
          <input
            type="file"
            accept=".json,application/json"
            aria-label={t('chats.importChats')}
            onChange={({ currentTarget }) => {
              const file = currentTarget.files?.[0];
              if (file) void conversations.importAll(file);
              currentTarget.value = '';
            }}
          />
        </label>
        <button
          type="button"
          class="button quiet"
          disabled={empty}
          ref={choose}
          aria-label={t('chats.chooseToDelete')}
          onClick={onChoose}
        >
          {t('chats.choose')}
        </button>
      </div>
      <div class="row wrap">
        <button type="button" class="button quiet" onClick={onHelp}>
          {t('help.title')}
        </button>
        <LanguageChoice />
      </div>
      <ThemeChoice />
    </footer>
  );
}

function foundText(count: number): string {
  return count === 0 ? t('chats.nothingFound') : t('chats.found', { count });
}
