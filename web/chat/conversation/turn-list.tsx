import type { JSX } from 'preact';
import type { ListedModel } from '../../../src/contract/models/model.ts';
import { t } from '../messages/language.ts';
import { nameAmong } from '../models/model.ts';
import { ReplyView } from '../reply/reply-view.tsx';
import { currentConversation, currentHead, currentModel, messagesOf } from '../state/selectors.ts';
import { useActions } from '../state/use-actions.ts';
import { usePick, useSelect } from '../state/use-select.ts';
import { openCallsOf } from '../tools/calls.ts';
import { mediaNote } from '../window/as-sent.ts';
import { LeftOutMark } from '../window/left-out-mark.tsx';
import { WindowOffer } from '../window/window-offer.tsx';
import { Compared, ComparedOne } from './compared.tsx';
import { type ReplyTurn, replyToGoOn, type ShownConversation, type ToolTurn, type Turn } from './conversation.ts';
import { versionsOf } from './tree/branches.ts';
import { UserTurnView } from './user-turn.tsx';

/** All turns of the current conversation. A reply that grows draws itself again, without the rest of the list. */
export function TurnList(): JSX.Element {
  const conversation = useSelect(currentConversation);
  const messages = useSelect((state) => messagesOf(state, conversation.id));
  const model = useSelect(currentModel);
  const { models } = usePick('models');
  const { turns, leftOut, compared } = conversation;
  const drawTurn = (turn: Turn, index: number) => {
    if (turn.role === 'tool') return null;
    // Versions of a turn share the key, so that the focus stays on the button that shows the next version.
    const key = `${conversation.id} ${turns[index - 1]?.id ?? ''}`;
    if (compared && index === turns.length - 1) return <ComparedReplies key={key} replies={compared} models={models} />;
    const versions = versionsOf(messages, turn.id);
    if (turn.role === 'user') {
      return <UserTurnView key={key} turn={turn} versions={versions} mediaNote={mediaNote(turn, model, t)} />;
    }
    const name = nameOf(turn, models);
    const place = { conversation, reply: turn, index };
    return <ReplyInPlace key={key} {...place} name={name} versions={versions} />;
  };
  return (
    <>
      {turns.flatMap((turn, index) => [
        drawTurn(turn, index),
        leftOut && index === leftOut.turns - 1 ? (
          <LeftOutMark key="left out" leftOut={leftOut} conversationId={conversation.id} />
        ) : null,
      ])}
    </>
  );
}

interface ReplyInPlaceProps {
  conversation: ShownConversation;
  reply: ReplyTurn;
  /** The index of the reply among the turns. */
  index: number;
  name: string;
  versions: string[];
}

/** A reply with what follows from its place: the results of its calls, and the actions that only the last reply has. */
function ReplyInPlace({ conversation, reply, index, name, versions }: ReplyInPlaceProps): JSX.Element {
  const { replies } = useActions();
  const { tools } = usePick('tools');
  const chat = useSelect((state) => currentHead(state).tools?.value);
  const { id, turns } = conversation;
  const isLastReply = index === turns.findLastIndex(({ role }) => role === 'assistant');
  const offerRoom = (message: string) => (
    <WindowOffer
      conversation={conversation}
      onRoom={(roomy) => (roomy === id ? replies.retry(reply.id) : replies.ask(roomy))}
    >
      {message}
    </WindowOffer>
  );
  return (
    <ReplyView
      versions={versions}
      reply={reply}
      name={name}
      goesOn={reply.id === replyToGoOn(conversation)?.id}
      results={resultsAfter(turns, index)}
      onFull={index === turns.length - 1 ? offerRoom : undefined}
      open={isLastReply ? openCallsOf(conversation, chat, tools) : []}
    />
  );
}

interface ComparedRepliesProps {
  replies: ReplyTurn[];
  models: ListedModel[] | null;
}

function ComparedReplies({ replies, models }: ComparedRepliesProps): JSX.Element {
  return (
    <Compared>
      {replies.map((reply) => {
        const name = nameOf(reply, models);
        return (
          <ComparedOne key={reply.id} replyId={reply.id} name={name}>
            <ReplyView versions={[]} reply={reply} name={name} goesOn={false} results={[]} open={[]} />
          </ComparedOne>
        );
      })}
    </Compared>
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
