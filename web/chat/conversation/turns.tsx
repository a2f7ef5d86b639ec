import type { JSX } from 'preact';
import { t } from '../messages/language.ts';
import { Greeting } from '../page/greeting.tsx';
import { DownIcon } from '../parts/icons.tsx';
import { currentConversation, currentModel, groundOf } from '../state/selectors.ts';
import { usePick, useSelect } from '../state/use-select.ts';
import { TurnList } from './turn-list.tsx';
import { useFollow } from './use-follow.ts';
import { usePlace } from './use-place.ts';

/** The id of the model that comes with Paddock. */
const BUILT_IN = 'pico';

/** The current conversation, in a frame that scrolls and follows a growing reply. */
export function Turns(): JSX.Element {
  const { id, turns } = useSelect(currentConversation);
  const { place } = usePick('place');
  const isWaiting = useSelect(({ waiting }) => waiting.some(({ conversationId }) => conversationId === id));
  const { frame, content, following, toEnd, leaveEnd } = useFollow(id);
  usePlace(place, frame, leaveEnd);
  return (
    <div class="turns-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <section class="turns" ref={frame} tabIndex={0} aria-label={t('message.conversation')}>
        <div class="column" ref={content}>
          {turns.length === 0 ? <EmptyConversation /> : <TurnList />}
          {isWaiting && (
            <p class="muted pulse" role="status">
              {t('message.kept')}
            </p>
          )}
        </div>
      </section>
      {!following && (
        <button type="button" class="button to-end" onClick={toEnd}>
          <DownIcon />
          {t('message.latest')}
        </button>
      )}
    </div>
  );
}

function EmptyConversation(): JSX.Element {
  const selected = useSelect((state) => ({
    model: currentModel(state),
    alone: state.models?.length === 1 && state.models[0]?.id === BUILT_IN && !state.arrival,
    ground: groundOf(state),
    failed: state.startup.kind === 'failed',
    kept: state.kept,
  }));
  return <Greeting {...selected} />;
}
