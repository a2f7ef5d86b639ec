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
import { useActions } from '../state/use-actions.ts';
import { useSelect } from '../state/use-select.ts';
import { ChatChoice, ChatList } from './chat-list.tsx';
import { ChoiceFoot } from './choice-foot.tsx';
import { folderNames } from './folders.ts';
import { hasWords } from './search.ts';
import { useSearch } from './use-search.ts';

interface SidebarProps {
  /** Called when a conversation is chosen. */
  onLeave: () => void;
  onHelp: () => void;
}

/** Lists the stored conversations, or the ones that a search has found. */
export function Sidebar({ onLeave, onHelp }: SidebarProps): JSX.Element {
  const { heads, currentId, kept, prompts } = useSelect((state) => ({
    heads: state.chats.heads,
    currentId: state.currentId,
    kept: state.kept,
    prompts: state.prompts,
  }));
  const running = useSelect(runningIds);
  const { conversations } = useActions();
  const t = useLanguage();
  const [typed, setTyped] = useState('');
  /** The ids of the conversations that are chosen, to be deleted or moved; null while the list has no check boxes. */
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null);
  const words = typed.trim();
  const found = useSearch(words);
  const all = useMemo(() => summariesOf({ heads }), [heads]);
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
  const choose = useRef<HTMLButtonElement>(null);
  const begin = useRef<HTMLButtonElement>(null);
  const leave = useRef(onLeave);
  leave.current = onLeave;
  // The list may be long, so a key in the search field does not draw it again.
  const list = useMemo(
    () =>
      chosen ? (
        <ChatChoice summaries={summaries} chosen={chosen} onChange={setChosen} />
      ) : (
        <ChatList
          summaries={summaries}
          folders={folders}
          searching={words !== ''}
          currentId={currentId}
          running={running}
          found={found}
          onLeave={() => leave.current()}
        />
      ),
    [summaries, folders, chosen, currentId, running, found, t],
  );
  const endChoice = () => {
    setChosen(null);
    // The button that had the focus is removed. The button that chooses is disabled if no chat is left.
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
      {(all.length === 0 || !kept) && (
        <p class="muted chats-none">{kept ? t('chats.keptHere') : t('greeting.notKept')}</p>
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
          hasPrompts={listPrompts(prompts).length > 0}
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
  /** The button that shows the check boxes. */
  choose: Ref<HTMLButtonElement>;
  onChoose: () => void;
  onHelp: () => void;
}

function SidebarFoot({ empty, hasPrompts, choose, onChoose, onHelp }: SidebarFootProps): JSX.Element {
  const { transfer } = useActions();
  const exportAll = async () => {
    const day = new Date().toISOString().slice(0, 10);
    saveFile(`paddock-chats-${day}.json`, await transfer.exportAll(), 'application/json');
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
              if (file) void transfer.importAll(file);
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
          {t('page.help')}
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
