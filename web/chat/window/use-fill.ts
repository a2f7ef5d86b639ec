import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Conversation, isGrowing } from '../conversation/conversation.ts';
import { currentHead, modelOf } from '../state/selectors.ts';
import type { State } from '../state/state.ts';
import { useActions } from '../state/use-actions.ts';
import { type Fill, fillOf, mostTokens, tokensByLastReply, windowOf } from './fill.ts';
import { wordsOf } from './words.ts';

/** Tokens are counted this long after the last key, in ms. */
const COUNT_AFTER_MS = 500;

type Count = (signal: AbortSignal) => Promise<number | null>;

/**
 * Says how full the window of the current conversation is, with the message that is being written. Null while a reply
 * grows, and if the model is not in memory: counting would load it.
 */
export function useFill(state: State, conversation: Conversation, written: string): Fill | null {
  const { window: actions } = useActions();
  const chosen = modelOf(state, conversation);
  const isLoaded = state.health?.models.some(({ id }) => id === chosen?.id) ?? false;
  const model = chosen && isLoaded && !conversation.turns.some(isGrowing) ? chosen : null;
  const head = currentHead(state);
  const messages = state.chats.messages[head.id];
  const window = model ? windowOf(state.health, model) : 0;
  const most = useMemo(() => conversation.turns.reduce((sum, turn) => sum + mostTokens(wordsOf(turn)), 0), [messages]);

  const told = model && tokensByLastReply(head, messages ?? {}, model.id);
  // Nothing is asked of the server as long as it can't matter.
  const countAll: Count | null =
    model && told === null && most > window / 2
      ? (signal) => actions.countConversation(conversation, model, signal)
      : null;
  const counted = useCount(countAll, [model?.id, head, messages]);
  const before = told ?? counted ?? 0;
  const countMore: Count | null =
    model && written.trim() !== '' && before + mostTokens(written) > window / 2
      ? (signal) => actions.countText(written, model, signal)
      : null;
  const added = useCount(countMore, [model?.id, written]) ?? 0;
  return model && fillOf(before + added, conversation.settings, window);
}

/** Counts when the inputs have been the same for a while. Until then, the last count stays. */
function useCount(count: Count | null, inputs: unknown[]): number | null {
  const [counted, setCounted] = useState<number | null>(null);
  useEffect(() => {
    if (!count) return setCounted(null);
    const stopper = new AbortController();
    const timer = setTimeout(async () => {
      const tokens = await count(stopper.signal);
      if (!stopper.signal.aborted) setCounted(tokens);
    }, COUNT_AFTER_MS);
    return () => {
      clearTimeout(timer);
      stopper.abort();
    };
  }, [count !== null, ...inputs]);
  return count && counted;
}
