import type { JSX } from 'preact';
import { t } from '../messages/language.ts';
import { useActions } from '../state/use-actions.ts';
import type { LeftOut } from './cut.ts';

/** A mark after the turns that the model does not get, with their summary. */
export function LeftOutMark({ leftOut, conversationId }: { leftOut: LeftOut; conversationId: string }): JSX.Element {
  const { window } = useActions();
  const { turns, summary } = leftOut;
  return (
    <section class="left-out-mark" aria-label={t('window.leftOut')}>
      <div class="row spread">
        <p>{t(summary === null ? 'window.leftOutOn' : 'window.leftOutSummary', { count: turns })}</p>
        <button type="button" class="button quiet" onClick={() => window.bringBack(conversationId)}>
          {t('window.takeIn')}
        </button>
      </div>
      {summary !== null && (
        <textarea
          rows={3}
          dir="auto"
          aria-label={t('window.summary')}
          value={summary}
          onInput={({ currentTarget }) => window.editSummary(conversationId, currentTarget.value)}
        />
      )}
    </section>
  );
}
