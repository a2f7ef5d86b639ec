import { ApiFailure } from '../api/client.ts';
import { type Attachment, sorted } from '../data/attachments.ts';
import {
  type Conversation,
  canGoOn,
  newReply,
  openCalls,
  type ReplyEnd,
  type ReplyTurn,
  type ToolTurn,
  type Turn,
  type UserTurn,
} from '../data/conversation.ts';
import type { SentDraft } from '../data/draft.ts';
import type { ListedModel } from '../data/model.ts';
import { newId } from '../data/new-id.ts';
import { type ChatChunk, coming, statsOf, statsOfAll, withChunk } from '../data/reply.ts';
import { toChatRequest, toContinuationRequest } from '../data/request.ts';
import { spokenReply } from '../data/spoken.ts';
import {
  currentConversation,
  currentHead,
  findConversation,
  headOf,
  listedChatModel,
  modelOf,
  type Waiting,
  type Wanted,
} from '../data/state.ts';
import { lastReply, lastResultAfter } from '../data/tools/calls.ts';
import { sayBeside } from '../data/tree/compared.ts';
import { grow, say, sayInstead, setDeleted } from '../data/tree/operations.ts';
import type { Head, Messages, Patch } from '../data/tree/tree.ts';
import { asSent } from '../data/window/as-sent.ts';
import { t } from '../messages/language.ts';
import { keepWaiting } from '../storage/preferences.ts';
import { showInAddress } from './address.ts';
import type { CallKeeping } from './calls.ts';
import { type Context, change, messageOf, readMessages, toolsFor } from './context.ts';
import type { ModelActions } from './models.ts';

/** The interval at which a growing reply is drawn, in ms. */
const DRAW_EVERY_MS = 40;
/** The interval at which a growing reply is stored and shown in other tabs, in ms. */
const SAVE_EVERY_MS = 500;
/** The interval at which the page asks why a reply has not begun, in ms. */
const ASK_EVERY_MS = 1000;

export interface ReplyActions {
  /**
   * Says something in a conversation, by default the current one. If Paddock is not ready yet, the reply is asked for when
   * it is. `draft` is where it was written.
   */
  send(text: string, attachments: Attachment[], from?: { conversationId?: string; draft?: SentDraft }): void;
  /** Asks for a reply after the last turn of a conversation. */
  ask(conversationId: string): void;
  /** Asks for this reply again. The old one stays as another version. */
  retry(replyId: string): void;
  /** Has the model go on where the words of this reply end. */
  goOn(replyId: string): void;
  /** Says this in the place of a turn and asks for a reply. The old turn and what came after it stay as another version. */
  edit(turnId: string, text: string, attachments: Attachment[]): void;
  /** Sends the result of a tool call. Once all calls have a result, the model continues. */
  answerCall(callId: string, text: string): void;
  /** Stops the reply of a conversation and its tools, by default of the current one. The text so far stays. */
  stop(conversationId?: string): void;
  /** Asks for the replies that waited until Paddock is ready. */
  resume(): Promise<void>;
}

/** What other tabs ask of the replies of this one. */
export interface ReplyKeeping {
  /** Stores the growing replies as they are, and tells the other tabs of them. */
  save(): void;
  /** Stops the reply of a conversation, and its calls, if this tab asked for them. */
  stopOwn(conversationId: string): void;
  /** Gives the result of a call of this reply to the model. It goes on once all calls have one. */
  answer(conversationId: string, replyId: string, turn: ToolTurn): void;
}

export function replyActions(
  context: Context,
  models: Pick<ModelActions, 'refreshHealth'>,
  calls: Pick<CallKeeping, 'begin' | 'stop' | 'stopOwn'>,
): ReplyActions & ReplyKeeping {
  const { store, channel, clock, reads } = context;
  /** The replies that this tab writes, by their ids. */
  const running = new Map<string, { conversationId: string; stopper: AbortController }>();
  const messagesOf = (id: string): Messages => store.get().chats.messages[id] ?? {};
  /** A reply that can go on; undefined if it is not there, or ended by itself. */
  const replyOf = (conversationId: string, id: string): ReplyTurn | undefined => {
    const turn = findConversation(store.get(), conversationId)?.turns.find((one) => one.id === id);
    return turn?.role === 'assistant' && canGoOn(turn) ? turn : undefined;
  };

  /** Has a conversation wait for a reply, or wait no more if there is none. */
  const setWaiting = (conversationId: string, one?: Waiting) => {
    const known = store.get().waiting;
    const others = known.filter((other) => other.conversationId !== conversationId);
    if (!one && others.length === known.length) return;
    const waiting = one ? [...others, one] : others;
    store.dispatch({ kind: 'waiting', waiting });
    keepWaiting(waiting);
  };

  const isRunning = (conversationId: string) =>
    [...running.values()].some((one) => one.conversationId === conversationId);

  /** Asks for a reply of a conversation. */
  const reply = (conversationId: string, wanted: Wanted = {}) => {
    const state = store.get();
    const head = headOf(state, conversationId);
    if (!head || isRunning(conversationId)) return;
    const known = wanted.continued === undefined ? undefined : replyOf(conversationId, wanted.continued);
    if (wanted.continued !== undefined && !known) return;
    const model = modelOf(state, { model: head.model.value });
    if (!model) return setWaiting(conversationId, { conversationId, ...wanted });
    setWaiting(conversationId);
    if (known) return goOnWith(conversationId, known, listedChatModel(state, known.model) ?? model);
    const turn = newReply(model.id);
    void change(context, replyPatch(head, turn, wanted.instead));
    const before = upTo(conversationId, turn.id);
    if (!before) return;
    write(conversationId, turn, () => toChatRequest(asSent(before, model), model.id, toolsFor(context, before)));
    const second = listedChatModel(state, head.second?.value ?? null);
    // What follows the result of a tool belongs to the reply that called it.
    const isAsked = wanted.instead === undefined && before.turns.at(-1)?.role === 'user';
    if (isAsked && second && second.id !== model.id) replyBeside(turn.id, before, second);
  };

  /** Asks a second model for its reply to the question of another one. */
  const replyBeside = (first: string, before: Conversation, model: ListedModel) => {
    const head = headOf(store.get(), before.id);
    if (!head) return;
    const turn = newReply(model.id);
    void change(context, sayBeside(head, messagesOf(before.id), first, turn, clock.next()));
    write(before.id, turn, () => toChatRequest(asSent(before, model), model.id, toolsFor(context, before)));
  };

  /** Has a model write the rest of a reply. */
  const goOnWith = (conversationId: string, known: ReplyTurn, model: ListedModel) => {
    const before = upTo(conversationId, known.id);
    if (!before) return;
    const turn = { ...known, end: null };
    put(conversationId, turn);
    write(conversationId, turn, () =>
      toContinuationRequest(asSent(before, model), known, model.id, toolsFor(context, before)),
    );
  };

  /** The branch that is shown, up to the turn before this one. */
  const upTo = (conversationId: string, turnId: string): Conversation | undefined => {
    const conversation = findConversation(store.get(), conversationId);
    const index = conversation?.turns.findIndex(({ id }) => id === turnId) ?? -1;
    return conversation && index >= 0 ? { ...conversation, turns: conversation.turns.slice(0, index) } : undefined;
  };

  /** Asks for the words of a reply that is in its conversation already, and shows and stores them while they come. */
  const write = (conversationId: string, turn: ReplyTurn, request: () => object) => {
    store.dispatch({ kind: 'coming', conversationId, coming: coming(turn) });
    const stopper = new AbortController();
    running.set(turn.id, { conversationId, stopper });
    const asking = setInterval(() => {
      if (store.get().coming[turn.id]?.prompt === null) void models.refreshHealth();
    }, ASK_EVERY_MS);
    const saving = setInterval(() => {
      const grown = store.get().coming[turn.id]?.reply;
      if (grown && grown !== messagesOf(conversationId)[turn.id]?.turn.value) put(conversationId, grown);
    }, SAVE_EVERY_MS);

    void follow(context, conversationId, turn, request, stopper.signal).then((ended) => {
      clearInterval(asking);
      clearInterval(saving);
      running.delete(turn.id);
      put(conversationId, ended);
      store.dispatch({ kind: 'ended', replyId: ended.id });
      const replaced = stopper.signal.aborted && isRunning(conversationId);
      if (!replaced && conversationId === store.get().currentId) {
        store.dispatch({ kind: 'announce', text: spokenReply(ended, t) });
      }
      calls.begin(conversationId);
      void models.refreshHealth();
    });
  };

  const replyPatch = (head: Head, turn: ReplyTurn, instead: string | undefined): Patch => {
    const messages = messagesOf(head.id);
    if (instead === undefined) return say(head, lastTurnId(head.id), turn, clock.next());
    const patch = sayInstead(head, messages, instead, turn, clock.next());
    const old = messages[instead];
    if (!old || isVersion(old.turn.value)) return patch;
    return { ...patch, messages: [...patch.messages, ...setDeleted(old, true, clock.next()).messages] };
  };

  /** False if another tab has asked for the reply meanwhile. */
  const isUnanswered = (id: string, { instead, continued }: Wanted): boolean => {
    if (instead !== undefined) return messagesOf(id)[instead] !== undefined;
    if (continued !== undefined) return replyOf(id, continued) !== undefined;
    const last = findConversation(store.get(), id)?.turns.at(-1);
    return last !== undefined && last.role !== 'assistant';
  };

  const lastTurnId = (id: string) => findConversation(store.get(), id)?.turns.at(-1)?.id ?? null;

  const put = (conversationId: string, turn: ReplyTurn) => {
    const message = messagesOf(conversationId)[turn.id];
    if (message) void change(context, grow(message, turn, clock.next()));
  };

  /**
   * Continues a conversation with this turn, in the place of another one if `instead` is given. If it is not there any
   * more, a new one begins.
   */
  const goOn = (turn: Turn, { id, instead, draft }: { id: string; instead?: string; draft?: SentDraft }): void => {
    const state = store.get();
    const head = headOf(state, id) ?? state.fresh;
    // The other calls go on when one has its result.
    if (turn.role === 'tool') stopReply(head.id);
    else stop(head.id);
    if (state.currentId === id) store.dispatch({ kind: 'open', id: head.id });
    // Of one that begins here, nothing is stored yet.
    if (!state.chats.heads[head.id]) reads.set(head.id, Promise.resolve());
    const stored = change(
      context,
      instead === undefined
        ? say(head, lastTurnId(head.id), turn, clock.next())
        : sayInstead(head, messagesOf(head.id), instead, turn, clock.next()),
      draft,
    );
    if (store.get().currentId === head.id) showInAddress(head.id);
    const said = findConversation(store.get(), head.id);
    if (!said || openCalls(said).length > 0) return;
    // The page says of what waits that it is kept, so it has to be.
    if (modelOf(state, { model: head.model.value })) reply(head.id);
    else void stored.then(() => reply(head.id));
  };

  const abort = (conversationId: string) => {
    for (const [id, one] of running) {
      if (one.conversationId !== conversationId) continue;
      one.stopper.abort();
      running.delete(id);
    }
  };
  const stop = (conversationId = store.get().currentId) => {
    stopReply(conversationId);
    calls.stop(conversationId);
  };
  const stopReply = (conversationId: string) => {
    abort(conversationId);
    const { elsewhere } = store.get();
    const others = Object.values(messagesOf(conversationId)).filter(({ id }) => elsewhere[id] !== undefined);
    if (others.length === 0) return;
    channel.post({ kind: 'stop', conversationId });
    // The other tab may have crashed. If it has not, what it stores last is later.
    for (const { turn } of others) {
      if (turn.value.role === 'assistant') put(conversationId, { ...turn.value, end: { kind: 'stopped' } });
    }
    store.dispatch({ kind: 'ended elsewhere', replyIds: others.map(({ id }) => id) });
  };

  return {
    send: (text, attachments, { conversationId: id = store.get().currentId, draft } = {}) =>
      goOn({ role: 'user', id: newId(), text, ...sorted(attachments) }, { id, ...(draft && { draft }) }),
    ask: (conversationId) => reply(conversationId),
    retry: (replyId) => {
      const { id } = currentHead(store.get());
      stop(id);
      reply(id, { instead: replyId });
    },
    goOn: (replyId) => {
      const { id } = currentHead(store.get());
      stop(id);
      reply(id, { continued: replyId });
    },
    edit: (turnId, text, attachments) => {
      const turn = currentConversation(store.get()).turns.find(({ id }) => id === turnId);
      if (turn?.role !== 'user') return;
      const said: UserTurn = { ...turn, id: newId(), text, ...sorted(attachments) };
      goOn(said, { id: store.get().currentId, instead: turnId });
    },
    answerCall: (callId, text) => goOn({ role: 'tool', id: newId(), callId, text }, { id: store.get().currentId }),
    answer: (conversationId, replyId, turn) => {
      const conversation = findConversation(store.get(), conversationId);
      const head = headOf(store.get(), conversationId);
      if (!conversation || !head) return;
      const isOpen = lastReply(conversation.turns)?.id === replyId;
      if (isOpen && openCalls(conversation).some(({ id }) => id === turn.callId)) {
        goOn(turn, { id: conversationId });
        return;
      }
      // The conversation has gone on elsewhere, or shows another version: the result stays where its call is.
      const { messages } = say(head, lastResultAfter(messagesOf(conversationId), replyId), turn, clock.next());
      void change(context, { heads: [], messages });
    },
    stop,
    stopOwn: (conversationId) => {
      abort(conversationId);
      calls.stopOwn(conversationId);
    },
    resume: async () => {
      const askFor = async (one: Waiting) => {
        const id = one.conversationId;
        if (headOf(store.get(), id)) await readMessages(context, id);
        const state = store.get();
        // Something else may have become of it meanwhile.
        if (!state.waiting.includes(one)) return;
        const head = headOf(state, id);
        // One that is not in the list yet waits on, and so does a deleted one: it may be restored.
        if (head ? head.deleted.value : !state.listed) return;
        if (head && isUnanswered(id, one)) reply(id, one);
        else setWaiting(id);
      };
      await Promise.all(store.get().waiting.map(askFor));
    },
    save: () => {
      for (const { conversationId, reply: grown } of Object.values(store.get().coming)) put(conversationId, grown);
    },
  };
}

/** False for a reply that failed before its first word: no version of it is kept. */
function isVersion(turn: Turn): boolean {
  return turn.role !== 'assistant' || turn.text !== '' || turn.reasoning !== '' || turn.calls.length > 0;
}

/** Shows the reply while it grows. Returns the ended reply, and never throws. */
async function follow(
  { store, client }: Context,
  conversationId: string,
  turn: ReplyTurn,
  request: () => object,
  signal: AbortSignal,
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
  try {
    for await (const chunk of client.events('/v1/chat/completions', request(), signal)) {
      state = withChunk(state, chunk as ChatChunk, elapsed());
      drawing ??= setTimeout(draw, DRAW_EVERY_MS);
    }
    end = { kind: 'finished', reason: state.finish ?? 'stop' };
  } catch (error) {
    const code = error instanceof ApiFailure ? error.code : null;
    end = signal.aborted ? { kind: 'stopped' } : { kind: 'failed', message: messageOf(error), code };
  }
  clearTimeout(drawing);
  const own = state.pieces > 0 ? statsOf(state, elapsed()) : null;
  return { ...state.reply, end, stats: statsOfAll(turn.stats, own) };
}
