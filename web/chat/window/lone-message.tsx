import type { JSX } from 'preact';
import { attachmentsOf } from '../attachments/attachments.ts';
import type { Turn } from '../conversation/conversation.ts';
import { t } from '../messages/language.ts';
import { useActions } from '../state/use-actions.ts';

interface LoneMessageProps {
  turns: readonly Turn[];
  onClose: (() => void) | undefined;
}

/** Says that one message alone takes the window, and sends it again without one of its files. */
export function LoneMessage({ turns, onClose }: LoneMessageProps): JSX.Element {
  const { replies } = useActions();
  const last = turns.findLast((turn) => turn.role === 'user');
  const attachments = last ? attachmentsOf(last) : [];
  const files = attachments.flatMap((one) => (one.kind === 'text' ? [{ one, name: one.file.name }] : []));
  return (
    <>
      <p>{t(files.length > 0 ? 'lone.withFiles' : 'lone.tooLarge')}</p>
      <div class="row wrap">
        {last &&
          files.map(({ one, name }) => (
            <button
              key={name}
              type="button"
              class="button"
              onClick={() => {
                const rest = attachments.filter((other) => other !== one);
                replies.edit(last.id, last.text, rest);
              }}
            >
              {t('lone.without', { name })}
            </button>
          ))}
        {onClose && (
          <button type="button" class="button quiet" onClick={onClose}>
            {t('window.notNow')}
          </button>
        )}
      </div>
    </>
  );
}
