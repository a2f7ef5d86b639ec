import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { t } from '../messages/language.ts';
import { CloseIcon } from '../parts/icons.tsx';
import { IconButton } from '../parts/parts.tsx';
import { focusIfLost } from '../parts/use-focus-back.ts';
import type { Notice } from '../state/state.ts';
import { useActions } from '../state/use-actions.ts';

const SHOWN_MS = 8000;

/** A short message. It disappears by itself unless it reports something bad. */
export function NoticeView({ notice }: { notice: Notice | null }): JSX.Element {
  const actions = useActions();
  useEffect(() => {
    if (notice?.tone !== 'plain') return;
    const timer = setTimeout(actions.dismissNotice, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [notice, actions]);
  return (
    <div class="notices" role="status">
      {notice && (
        <div class={`notice ${notice.tone}`}>
          <span>{notice.text}</span>
          {notice.undo && (
            <button
              type="button"
              class="link"
              onClick={(event) => {
                keepFocus(event);
                actions.dismissNotice();
                notice.undo?.();
              }}
            >
              {t('common.undo')}
            </button>
          )}
          <IconButton
            label={t('common.dismiss')}
            onClick={(event) => {
              keepFocus(event);
              actions.dismissNotice();
            }}
          >
            <CloseIcon />
          </IconButton>
        </div>
      )}
    </div>
  );
}

/** The button that was clicked goes. The focus stays in its dialog, or goes to the conversation. */
function keepFocus({ currentTarget }: { currentTarget: HTMLElement }): void {
  const dialog = currentTarget.closest('dialog');
  focusIfLost(() => dialog?.querySelector<HTMLElement>('.dialog-head button') ?? document.querySelector('.turns'));
}
