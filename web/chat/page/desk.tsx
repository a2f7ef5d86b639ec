import type { JSX } from 'preact';
import { Composer } from '../composer/composer.tsx';
import { draftWords } from '../composer/draft.ts';
import { t } from '../messages/language.ts';
import { currentConversation, currentDraft, currentHead } from '../state/selectors.ts';
import { useActions } from '../state/use-actions.ts';
import { usePick, useSelect } from '../state/use-select.ts';
import { useWindowGauge } from '../window/window-gauge.tsx';
import { StatusLine } from './status-line.tsx';

interface DeskProps {
  /** Opens the dialog for the API key. */
  onKey: () => void;
  /** Opens the list of all prompts. */
  onPrompts: () => void;
}

/** The area below the turns, with the composer. It is drawn again at every key, so it is no part of the turns. */
export function Desk({ onKey, onPrompts }: DeskProps): JSX.Element {
  const conversation = useSelect(currentConversation);
  const written = useSelect((state) => draftWords(currentDraft(state)));
  const gauge = useWindowGauge(conversation, written);
  return (
    <div class="desk">
      <Deleted />
      <StartupFailure onKey={onKey} />
      {gauge.panel}
      <Composer onPrompts={onPrompts} />
      <div class="status-row">
        <StatusLine />
        {gauge.sign}
      </div>
    </div>
  );
}

/** Tells that another tab has deleted the open conversation, and restores it on a click. */
function Deleted(): JSX.Element | null {
  const { conversations } = useActions();
  const { id, deleted } = useSelect(currentHead);
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

function StartupFailure({ onKey }: { onKey: () => void }): JSX.Element | null {
  const { start } = useActions();
  const { keyWanted, startup } = usePick('keyWanted', 'startup');
  if (keyWanted !== null) {
    return (
      <div class="failure">
        <p>{keyWanted}</p>
        <button type="button" class="button" onClick={onKey}>
          {t('page.giveKey')}
        </button>
      </div>
    );
  }
  if (startup.kind !== 'failed') return null;
  return (
    <div class="failure" role="alert">
      <p>{startup.message}</p>
      {startup.retry && (
        <button type="button" class="button" onClick={() => void start()}>
          {t('common.tryAgain')}
        </button>
      )}
    </div>
  );
}
