import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Composer } from '../composer/composer.tsx';
import { draftWords } from '../composer/draft.ts';
import { isGrowing } from '../conversation/conversation.ts';
import { Turns } from '../conversation/turns.tsx';
import { t } from '../messages/language.ts';
import { nameAmong } from '../models/model.ts';
import { ModelsDialog } from '../models/models-dialog.tsx';
import { lazy, useLazy } from '../parts/lazy.ts';
import { Dialog, InDialogs } from '../parts/parts.tsx';
import { useLanguage } from '../parts/use-language.ts';
import { SettingsDialog } from '../settings/settings-dialog.tsx';
import { Sidebar } from '../sidebar/sidebar.tsx';
import { currentConversation, currentHead, draftKey, draftOf, modelOf } from '../state/selectors.ts';
import type { State } from '../state/state.ts';
import { type Store, useStore } from '../state/store.ts';
import { useActions } from '../state/use-actions.ts';
import { ToolsSection } from '../tools/tools-section.tsx';
import { runsIn } from '../tools/tools-state.ts';
import { useWindowGauge } from '../window/window-gauge.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { NoticeView } from './notice.tsx';
import { StatusLine } from './status-line.tsx';
import { TopBar } from './top-bar.tsx';
import { useShortcuts } from './use-shortcuts.ts';

const helpDialog = lazy(() => import('./help-dialog.tsx'));
const promptsDialog = lazy(() => import('../prompts/prompts-dialog.tsx'));
const serversDialog = lazy(() => import('../tools/tool-servers-dialog.tsx'));

type Panel = 'chats' | 'models' | 'settings' | 'tools' | 'help' | 'prompts';

export function App({ store }: { store: Store }): JSX.Element {
  const state = useStore(store);
  const actions = useActions();
  const t = useLanguage();
  const [panel, setPanel] = useState<Panel | null>(null);
  const [keyLater, setKeyLater] = useState(false);
  const conversation = currentConversation(state);
  const model = modelOf(state, conversation);
  /** A panel also closes when another one takes its place, which stays. */
  const closing = (one: Panel) => () => setPanel((now) => (now === one ? null : now));
  // What is typed changes the drafts alone, and long conversations need not be drawn again for that.
  const { drafts: _, ...others } = state;
  const turns = useMemo(() => <Turns state={state} conversation={conversation} />, [...Object.values(others), t]);
  const gauge = useWindowGauge(state, conversation, draftWords(draftOf(state, draftKey(state))));
  const toHelp = () => setPanel('help');
  const toPrompts = () => setPanel('prompts');
  useShortcuts(state, { onHelp: toHelp, onChats: () => setPanel('chats') });
  const help = useLazy(helpDialog, panel === 'help');
  const prompts = useLazy(promptsDialog, panel === 'prompts');
  const servers = useLazy(serversDialog, panel === 'tools');
  useEscape(() => actions.replies.stop());
  useEffect(() => setKeyLater(false), [state.keyWanted]);
  const wantedKey = keyLater ? null : state.keyWanted;
  const notice = useMemo(() => <NoticeView notice={state.notice} />, [state.notice, t]);

  return (
    <InDialogs.Provider value={notice}>
      <button type="button" class="skip button" onClick={skipToMessage}>
        {t('page.skip')}
      </button>
      <h1 class="hidden">Paddock</h1>
      <div class="frame">
        <div class="beside">
          <Sidebar state={state} onLeave={closing('chats')} onHelp={toHelp} />
        </div>
        <div class="room">
          <TopBar
            name={model && nameAmong(model, state.models)}
            arrival={state.arrival}
            onMenu={() => setPanel('chats')}
            onModels={() => {
              void actions.models.refresh().catch(() => {});
              setPanel('models');
            }}
            onSettings={() => setPanel('settings')}
          />
          <main>
            {turns}
            <div class="desk">
              <Deleted state={state} />
              <StartupFailure state={state} onKey={() => setKeyLater(false)} />
              {gauge.panel}
              <Composer
                conversationId={conversation.id}
                draft={draftOf(state, draftKey(state))}
                draftKey={draftKey(state)}
                models={state.models}
                model={model}
                replying={
                  [...conversation.turns, ...(conversation.compared ?? [])].some(isGrowing) ||
                  runsIn(state.tools, conversation.id)
                }
                prompts={state.prompts}
                onPrompts={toPrompts}
              />
              <div class="status-row">
                <StatusLine
                  startup={state.startup}
                  known={state.models !== null}
                  health={state.health}
                  model={model}
                  home={state.home}
                />
                {gauge.sign}
              </div>
            </div>
          </main>
        </div>
      </div>
      <Dialog title={t('chats.title')} shape="drawer" open={panel === 'chats'} onClose={closing('chats')}>
        <Sidebar state={state} onLeave={closing('chats')} onHelp={toHelp} />
      </Dialog>
      <ModelsDialog state={state} open={panel === 'models'} onClose={closing('models')} />
      <SettingsDialog
        conversation={conversation}
        model={model}
        presets={state.presets}
        models={state.models}
        second={currentHead(state).second?.value ?? null}
        open={panel === 'settings'}
        onClose={closing('settings')}
        tools={<ToolsSection state={state} conversation={conversation} onServers={() => setPanel('tools')} />}
      />
      {servers && <servers.ToolServersDialog tools={state.tools} open={panel === 'tools'} onClose={closing('tools')} />}
      {help && <help.HelpDialog open={panel === 'help'} onClose={closing('help')} onPrompts={toPrompts} />}
      {prompts && (
        <prompts.PromptsDialog prompts={state.prompts} open={panel === 'prompts'} onClose={closing('prompts')} />
      )}
      <KeyDialog message={wantedKey} onClose={() => setKeyLater(true)} />
      {panel === null && wantedKey === null && notice}
      <p class="hidden" role="status" id="announcement">
        {state.announcement}
      </p>
    </InDialogs.Provider>
  );
}

/** Says that another tab has deleted the open conversation. */
function Deleted({ state }: { state: State }): JSX.Element | null {
  const { conversations } = useActions();
  const { id, deleted } = currentHead(state);
  if (!deleted.value) return null;
  return (
    <div class="failure calm" role="status">
      <p>{t('page.deletedElsewhere')}</p>
      <button type="button" class="button" onClick={() => conversations.undoRemove([id])}>
        {t('common.restore')}
      </button>
    </div>
  );
}

function StartupFailure({ state, onKey }: { state: State; onKey: () => void }): JSX.Element | null {
  const { start } = useActions();
  if (state.keyWanted !== null) {
    return (
      <div class="failure">
        <p>{state.keyWanted}</p>
        <button type="button" class="button" onClick={onKey}>
          {t('page.giveKey')}
        </button>
      </div>
    );
  }
  if (state.startup.kind !== 'failed') return null;
  return (
    <div class="failure" role="alert">
      <p>{state.startup.message}</p>
      <button type="button" class="button" onClick={() => void start()}>
        {t('common.tryAgain')}
      </button>
    </div>
  );
}

/** Calls `onEscape` when Escape is pressed, unless a dialog or a field handles the key. */
function useEscape(onEscape: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !document.querySelector('dialog[open]')) onEscape();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}

function skipToMessage(): void {
  document.getElementById('message')?.focus();
}
