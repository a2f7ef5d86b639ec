import type { JSX } from 'preact';
import { t } from '../messages/language.ts';
import { type ListedModel, nameAmong } from '../models/model.ts';
import { Greeting } from '../page/greeting.tsx';
import { waitingFor } from '../page/health.ts';
import { DownIcon } from '../parts/icons.tsx';
import { Reply } from '../reply/reply-view.tsx';
import { groundOf, headOf, messagesOf, modelOf } from '../state/selectors.ts';
import type { State } from '../state/state.ts';
import { useActions } from '../state/use-actions.ts';
import { openCallsOf } from '../tools/calls.ts';
import { mediaNote } from '../window/as-sent.ts';
import { LeftOutMark } from '../window/left-out-mark.tsx';
import { WindowOffer } from '../window/window-offer.tsx';
import { Compared, ComparedOne } from './compared.tsx';
import { type Conversation, type ReplyTurn, replyToGoOn, type ToolTurn, type Turn } from './conversation.ts';
import { versionsOf } from './tree/branches.ts';
import { useFollow } from './use-follow.ts';
import { usePlace } from './use-place.ts';
import { UserTurnView } from './user-turn.tsx';

/** All turns of the conversation. */
export function Turns({ state, conversation }: { state: State; conversation: Conversation }): JSX.Element {
  const { frame, content, following, toEnd, leaveEnd } = useFollow(conversation.id);
  usePlace(state.place, frame, leaveEnd);
  const { replies } = useActions();
  const { turns, leftOut, compared } = conversation;
  const model = modelOf(state, conversation);
  const open = openCallsOf(conversation, headOf(state, conversation.id)?.tools?.value, state.tools);
  const goesOn = replyToGoOn(conversation)?.id;
  const messages = messagesOf(state, conversation.id);
  const draw = (turn: Turn, index: number) => {
    if (turn.role === 'tool') return null;
    // Versions of a turn share the key, so that the focus stays on the button that shows the next one.
    const key = `${conversation.id} ${turns[index - 1]?.id ?? ''}`;
    const versions = versionsOf(messages, turn.id);
    if (compared && index === turns.length - 1) return drawCompared(compared, key);
    if (turn.role === 'user') {
      return <UserTurnView key={key} turn={turn} versions={versions} mediaNote={mediaNote(turn, model, t)} />;
    }
    return (
      <Reply
        key={key}
        versions={versions}
        reply={turn}
        name={nameOf(turn, state.models)}
        coming={state.coming[turn.id]}
        goesOn={turn.id === goesOn}
        waiting={waitingFor(state.health, turn.model, t)}
        results={resultsAfter(turns, index)}
        onFull={index === turns.length - 1 ? offerRoom(turn.id) : undefined}
        open={index === turns.findLastIndex(({ role }) => role === 'assistant') ? open : []}
      />
    );
  };
  const drawCompared = (both: ReplyTurn[], key: string) => (
    <Compared key={key}>
      {both.map((reply) => {
        const name = nameOf(reply, state.models);
        return (
          <ComparedOne key={reply.id} replyId={reply.id} name={name}>
            <Reply
              versions={[]}
              reply={reply}
              name={name}
              coming={state.coming[reply.id]}
              goesOn={false}
              waiting={waitingFor(state.health, reply.model, t)}
              results={[]}
              open={[]}
            />
          </ComparedOne>
        );
      })}
    </Compared>
  );
  const markAfter = (index: number) =>
    leftOut && index === leftOut.turns - 1 ? (
      <LeftOutMark key="left out" leftOut={leftOut} conversationId={conversation.id} />
    ) : null;
  const offerRoom = (replyId: string) => (message: string) => (
    <WindowOffer
      state={state}
      conversation={conversation}
      onRoom={(id) => (id === conversation.id ? replies.retry(replyId) : replies.ask(id))}
    >
      {message}
    </WindowOffer>
  );
  return (
    <div class="turns-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <section class="turns" ref={frame} tabIndex={0} aria-label={t('message.conversation')}>
        <div class="column" ref={content}>
          {turns.length === 0 ? (
            <Greeting model={model} ground={groundOf(state)} kept={state.kept} />
          ) : (
            turns.flatMap((turn, index) => [draw(turn, index), markAfter(index)])
          )}
          {state.waiting.some(({ conversationId }) => conversationId === conversation.id) && (
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

function nameOf(turn: ReplyTurn, models: ListedModel[] | null): string {
  const model = models?.find(({ id }) => id === turn.model);
  return model ? nameAmong(model, models) : turn.model;
}

/** Returns the results of the calls in the reply at this index. */
function resultsAfter(turns: Turn[], index: number): ToolTurn[] {
  const rest = turns.slice(index + 1);
  const next = rest.findIndex(({ role }) => role !== 'tool');
  return rest.slice(0, next < 0 ? undefined : next) as ToolTurn[];
}
