import type { JSX } from 'preact';
import { t } from '../messages/language.ts';
import { CloseIcon } from '../parts/icons.tsx';
import { IconButton } from '../parts/parts.tsx';
import { focusIfLost } from '../parts/use-focus-back.ts';
import { useActions } from '../state/use-actions.ts';
import { usePick } from '../state/use-select.ts';

/** A short message. */
export function NoticeView(): JSX.Element {
  const { notice } = usePick('notice');
  const actions = useActions();
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
