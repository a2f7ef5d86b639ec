import { ApiFailure } from '../api/client.ts';
import type { ReplyEnd, ReplyTurn } from '../conversation/conversation.ts';
import { grow } from '../conversation/tree/operations.ts';
import { t } from '../messages/language.ts';
import { type Context, change, localizedMessageOf } from '../state/context-actions.ts';
import { messagesOf } from '../state/selectors.ts';
import { type ChatChunk, coming, statsOf, statsOfAll, withChunk } from './reply.ts';
import { spokenReply } from './spoken.ts';

/** The interval at which a growing reply is drawn, in ms. */
const DRAW_EVERY_MS = 40;
/** The interval at which a growing reply is stored and shown in other tabs, in ms. */
const SAVE_EVERY_MS = 500;
/** The interval at which the page asks why a reply has not begun, in ms. */
const ASK_EVERY_MS = 1000;

/** The streams of the replies that grow in this tab. */
export interface ReplyStreams {
  /**
   * Requests a reply that is already a turn of its conversation. Draws and stores its text while it arrives. If
   * `request` throws, the reply fails with that error.
   */
  begin(conversationId: string, turn: ReplyTurn, request: () => object): void;
  isRunning(conversationId: string): boolean;
  /** Stops the replies of a conversation. The text so far stays. */
  stop(conversationId: string): void;
  /** Stores a reply as it is now, and sends it to the other tabs. */
  put(conversationId: string, turn: ReplyTurn): void;
  /** Stores and sends all growing replies. */
  save(): void;
}

interface Needs {
  refreshHealth: () => Promise<void>;
  /** Called after a reply has finished, failed or was stopped. */
  onEnd: (conversationId: string) => void;
}

export function replyStreams(context: Context, { refreshHealth, onEnd }: Needs): ReplyStreams {
  const { store, clock } = context;
  /** The running requests, by the ids of their replies. */
  const running = new Map<string, { conversationId: string; stopper: AbortController }>();

  const isRunning = (conversationId: string) =>
    [...running.values()].some((one) => one.conversationId === conversationId);
  const put = (conversationId: string, turn: ReplyTurn) => {
    const message = messagesOf(store.get(), conversationId)[turn.id];
    if (message) void change(context, grow(message, turn, clock.next()));
  };

  const begin = (conversationId: string, turn: ReplyTurn, request: () => object) => {
    store.dispatch({ kind: 'coming', conversationId, coming: coming(turn) });
    const stopper = new AbortController();
    running.set(turn.id, { conversationId, stopper });
    const asking = setInterval(() => {
      if (store.get().coming[turn.id]?.prompt === null) void refreshHealth();
    }, ASK_EVERY_MS);
    const saving = setInterval(() => {
      const grown = store.get().coming[turn.id]?.reply;
      if (grown && grown !== messagesOf(store.get(), conversationId)[turn.id]?.turn.value) put(conversationId, grown);
    }, SAVE_EVERY_MS);

    const asked = { conversationId, turn, request, signal: stopper.signal };
    // The model may have been loaded for this reply.
    void follow(context, asked, () => void refreshHealth()).then((ended) => {
      clearInterval(asking);
      clearInterval(saving);
      running.delete(turn.id);
      put(conversationId, ended);
      store.dispatch({ kind: 'ended', replyId: ended.id });
      const replaced = stopper.signal.aborted && isRunning(conversationId);
      if (!replaced && conversationId === store.get().currentId) {
        store.dispatch({ kind: 'announce', text: spokenReply(ended, t) });
      }
      onEnd(conversationId);
      void refreshHealth();
    });
  };

  return {
    begin,
    isRunning,
    stop: (conversationId) => {
      for (const [id, one] of running) {
        if (one.conversationId !== conversationId) continue;
        one.stopper.abort();
        running.delete(id);
      }
    },
    put,
    save: () => {
      for (const { conversationId, reply } of Object.values(store.get().coming)) put(conversationId, reply);
    },
  };
}

interface AskedReply {
  conversationId: string;
  turn: ReplyTurn;
  request: () => object;
  signal: AbortSignal;
}

/**
 * Streams a reply and draws it while it grows. `onBegun` is called when its first chunk has come. Returns the ended
 * reply. Never throws.
 */
async function follow(
  { store, client }: Context,
  { conversationId, turn, request, signal }: AskedReply,
  onBegun: () => void,
): Promise<ReplyTurn> {
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  let state = coming(turn);
  let drawing: ReturnType<typeof setTimeout> | undefined;
  const draw = () => {
    drawing = undefined;
    if (!signal.aborted) store.dispatch({ kind: 'coming', conversationId, coming: state });
  };
  let end: ReplyEnd;
  let hasBegun = false;
  try {
    for await (const chunk of client.events('/v1/chat/completions', request(), signal)) {
      state = withChunk(state, chunk as ChatChunk, elapsed());
      drawing ??= setTimeout(draw, DRAW_EVERY_MS);
      if (hasBegun) continue;
      hasBegun = true;
      onBegun();
    }
    end = { kind: 'finished', reason: state.finish ?? 'stop' };
  } catch (error) {
    const code = error instanceof ApiFailure ? error.code : null;
    end = signal.aborted ? { kind: 'stopped' } : { kind: 'failed', message: localizedMessageOf(error), code };
  }
  clearTimeout(drawing);
  const own = state.pieces > 0 ? statsOf(state, elapsed()) : null;
  return { ...state.reply, end, stats: statsOfAll(turn.stats, own) };
}
