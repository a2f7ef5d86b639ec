import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { t } from '../messages/language.ts';
import { CloseIcon } from '../parts/icons.tsx';
import { IconButton } from '../parts/parts.tsx';
import { focusIfLost } from '../parts/use-focus-back.ts';
import { useActions } from '../state/use-actions.ts';
import { usePick } from '../state/use-select.ts';

const SHOWN_MS = 8000;

/** A short message. It disappears by itself unless it reports something bad. */
export function NoticeView(): JSX.Element {
  const { notice } = usePick('notice');
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

/** Moves the focus, because the clicked button is removed: within the open dialog, or to the conversation. */
function keepFocus({ currentTarget }: { currentTarget: HTMLElement }): void {
  const dialog = currentTarget.closest('dialog');
  focusIfLost(() => dialog?.querySelector<HTMLElement>('.dialog-head button') ?? document.querySelector('.turns'));
}
