import type { JSX } from 'preact';
import type { LeftOut } from '../data/window/cut.ts';
import { useActions } from './actions.ts';

/** Stands after the turns that the model does not get, with what it gets in their place. */
export function LeftOutMark({ leftOut, conversationId }: { leftOut: LeftOut; conversationId: string }): JSX.Element {
  const { window } = useActions();
  const { turns, summary } = leftOut;
  return (
    <section class="left-out-mark" aria-label="Left out">
      <div class="row spread">
        <p>
          {turns === 1 ? 'The message above is' : `The ${turns} messages above are`} left out: the model reads{' '}
          {summary === null ? 'on from here.' : 'this summary instead.'}
        </p>
        <button type="button" class="button quiet" onClick={() => window.bringBack(conversationId)}>
          Take them in again
        </button>
      </div>
      {summary !== null && (
        <textarea
          rows={3}
          dir="auto"
          aria-label="Summary of what is left out"
          value={summary}
          onInput={({ currentTarget }) => window.editSummary(conversationId, currentTarget.value)}
        />
      )}
    </section>
  );
}
