import { useEffect, useMemo, useState } from 'preact/hooks';
import { isGrowing, type ShownConversation } from '../conversation/conversation.ts';
import { currentHead, currentModel } from '../state/selectors.ts';
import { useActions } from '../state/use-actions.ts';
import { usePick, useSelect } from '../state/use-select.ts';
import { type Fill, fillOf, mostTokens, tokensByLastReply, windowOf } from './fill.ts';
import { wordsOf } from './words.ts';

/** The delay between the last key and the counting of tokens, in ms. */
const COUNT_AFTER_MS = 500;

type Count = (signal: AbortSignal) => Promise<number | null>;

/**
 * Returns how full the context window of the current conversation is, with the text of the draft, `written`. Returns
 * null while a reply grows, and if the model is not in memory, because counting tokens would load it.
 */
export function useFill(conversation: ShownConversation, written: string): Fill | null {
  const { window: actions } = useActions();
  const chosen = useSelect(currentModel);
  const { health } = usePick('health');
  const head = useSelect(currentHead);
  const messages = useSelect((state) => state.chats.messages[currentHead(state).id]);
  const isLoaded = health?.models.some(({ id }) => id === chosen?.id) ?? false;
  const model = chosen && isLoaded && !conversation.turns.some(isGrowing) ? chosen : null;
  const window = model ? windowOf(health, model) : 0;
  const most = useMemo(() => conversation.turns.reduce((sum, turn) => sum + mostTokens(wordsOf(turn)), 0), [messages]);

  const told = model && tokensByLastReply(head, messages ?? {}, model.id);
  // The server counts only if the window may be half full: below that, the gauge shows nothing.
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

/** Counts once the inputs have not changed for a while. Until then, it returns the last count. */
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
