import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Turns } from '../conversation/turns.tsx';
import { t } from '../messages/language.ts';
import { ModelsDialog } from '../models/models-dialog.tsx';
import { lazy } from '../parts/lazy.ts';
import { Dialog, InDialogs } from '../parts/parts.tsx';
import { useLanguage } from '../parts/use-language.ts';
import { useLazy } from '../parts/use-lazy.ts';
import { SettingsDialog } from '../settings/settings-dialog.tsx';
import { Sidebar } from '../sidebar/sidebar.tsx';
import { useActions } from '../state/use-actions.ts';
import { usePick, useSelect } from '../state/use-select.ts';
import { ToolsSection } from '../tools/tools-section.tsx';
import { Desk } from './desk.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { NoticeView } from './notice.tsx';
import { TopBar } from './top-bar.tsx';
import { useEscape } from './use-escape.ts';
import { useShortcuts } from './use-shortcuts.ts';

const helpDialog = lazy(() => import('./help-dialog.tsx'));
const promptsDialog = lazy(() => import('../prompts/prompts-dialog.tsx'));
const serversDialog = lazy(() => import('../tools/tool-servers-dialog.tsx'));

type Panel = 'chats' | 'models' | 'settings' | 'tools' | 'help' | 'prompts';

/**
 * The page. It is drawn again only when a panel opens or closes, when a key is wanted and when the language changes:
 * each part selects what it shows of the state.
 */
export function App(): JSX.Element {
  const actions = useActions();
  const t = useLanguage();
  const [panel, setPanel] = useState<Panel | null>(null);
  const key = useKeyDialog();
  useShortcuts({ onHelp: () => setPanel('help'), onChats: () => setPanel('chats') });
  useEscape(() => actions.replies.stop());
  const notice = useMemo(() => <NoticeView />, [t]);
  const openModels = () => {
    void actions.models.refresh().catch(() => {});
    setPanel('models');
  };
  return (
    <InDialogs.Provider value={notice}>
      <button type="button" class="skip button" onClick={skipToMessage}>
        {t('page.skip')}
      </button>
      <h1 class="hidden">Paddock</h1>
      <Frame panel={panel} onPanel={setPanel}>
        <TopBar onMenu={() => setPanel('chats')} onModels={openModels} onSettings={() => setPanel('settings')} />
        <main>
          <Turns />
          <Desk onKey={key.ask} onPrompts={() => setPanel('prompts')} />
        </main>
      </Frame>
      <KeyDialog message={key.message} onClose={key.later} />
      {panel === null && key.message === null && notice}
      <Announcement />
    </InDialogs.Provider>
  );
}

interface FrameProps {
  panel: Panel | null;
  onPanel: (change: Panel | null | ((now: Panel | null) => Panel | null)) => void;
  children: ComponentChildren;
}

/** The list of chats, beside it the children, and all panels. */
function Frame({ panel, onPanel, children }: FrameProps): JSX.Element {
  const help = useLazy(helpDialog, panel === 'help');
  const prompts = useLazy(promptsDialog, panel === 'prompts');
  const servers = useLazy(serversDialog, panel === 'tools');
  /** A panel is also closed by the one that takes its place. That one stays open. */
  const dialog = (one: Panel) => ({
    open: panel === one,
    onClose: () => onPanel((now) => (now === one ? null : now)),
  });
  const chats = dialog('chats');
  const sidebar = () => <Sidebar onLeave={chats.onClose} onHelp={() => onPanel('help')} />;
  return (
    <>
      <div class="frame">
        <div class="beside">{sidebar()}</div>
        <div class="room">{children}</div>
      </div>
      <Dialog title={t('chats.title')} shape="drawer" {...chats}>
        {sidebar()}
      </Dialog>
      <ModelsDialog {...dialog('models')} />
      <SettingsDialog {...dialog('settings')} tools={<ToolsSection onServers={() => onPanel('tools')} />} />
      {servers && <servers.ToolServersDialog {...dialog('tools')} />}
      {help && <help.HelpDialog {...dialog('help')} onPrompts={() => onPanel('prompts')} />}
      {prompts && <prompts.PromptsDialog {...dialog('prompts')} />}
    </>
  );
}

interface KeyDialogState {
  /** The message of the server that wants a key; null while the dialog is closed. */
  message: string | null;
  /** Opens the dialog again. */
  ask: () => void;
  /** Closes the dialog until the server asks again. */
  later: () => void;
}

function useKeyDialog(): KeyDialogState {
  const { keyWanted } = usePick('keyWanted');
  const [isLater, setLater] = useState(false);
  useEffect(() => setLater(false), [keyWanted]);
  return { message: isLater ? null : keyWanted, ask: () => setLater(false), later: () => setLater(true) };
}

/** A text for screen readers, such as a finished reply. */
function Announcement(): JSX.Element {
  const text = useSelect((state) => state.announcement);
  return (
    <p class="hidden" role="status" id="announcement">
      {text}
    </p>
  );
}

function skipToMessage(): void {
  document.getElementById('message')?.focus();
}
