import { createDice, type Dice } from '../../../test/kit/dice.ts';

/** What a fleet is asked, in tokens, ms and conversations. */
export interface WorkloadOptions {
  seed: number;
  /** For how long conversations begin, in ms. */
  durationMs: number;
  /** Conversations that begin in a second, in the whole fleet. */
  conversationsPerSecond: number;
  /** The longest prompt with its reply, in tokens. */
  contextLength: number;
  /** The share of conversations, 0 to 1, that all bear one and the same `prompt_cache_key`. */
  hotShare: number;
}

/** One turn: what is new in its prompt, and its reply. */
export interface Turn {
  newTokens: number;
  replyTokens: number;
  /** Until the user answers, in ms. */
  thinkMs: number;
}

export interface Conversation {
  id: number;
  /** Decides the replica: the conversation's own, or the hot one. */
  key: number;
  /** Programs whose conversations begin with the same system prompt. */
  app: number;
  /** The length of that system prompt. The first turn's new tokens come after it. */
  systemTokens: number;
  beginsAtMs: number;
  turns: Turn[];
}

const APPS = 50;
const MEAN_TURNS = 6;
const MEAN_MESSAGE_TOKENS = 60;
const MEAN_REPLY_TOKENS = 60;
const MEAN_THINK_MS = 30_000;
/** The key that all hot conversations share. Others have their id, which is at least 0. */
const HOT_KEY = -1;

/** Makes the same conversations for the same options, ordered by their beginning. */
export function makeWorkload(options: WorkloadOptions): Conversation[] {
  const { seed, durationMs, conversationsPerSecond, contextLength, hotShare } = options;
  const dice = createDice(seed);
  const systemTokens = Array.from({ length: APPS }, () => 50 + dice.below(350));
  // Zipf: the second program has half the conversations of the first, the third a third.
  const apps = systemTokens.map((_, app) => ({ app, weight: 1 / (app + 1) }));
  const conversations: Conversation[] = [];
  for (
    let at = wait(dice, 1000 / conversationsPerSecond);
    at < durationMs;
    at += wait(dice, 1000 / conversationsPerSecond)
  ) {
    const id = conversations.length;
    const { app } = dice.weighted(apps);
    const system = systemTokens[app] ?? 0;
    const key = dice.chance(hotShare) ? HOT_KEY : id;
    conversations.push({
      id,
      key,
      app,
      systemTokens: system,
      beginsAtMs: at,
      turns: makeTurns(dice, contextLength - system),
    });
  }
  return conversations;
}

/** Conversations end by chance after each turn, or when the window is full. */
function makeTurns(dice: Dice, room: number): Turn[] {
  const turns: Turn[] = [];
  let left = room;
  do {
    const turn = {
      newTokens: 10 + wait(dice, MEAN_MESSAGE_TOKENS - 10),
      replyTokens: 5 + wait(dice, MEAN_REPLY_TOKENS - 5),
      thinkMs: wait(dice, MEAN_THINK_MS),
    };
    left -= turn.newTokens + turn.replyTokens;
    if (left < 0) break;
    turns.push(turn);
  } while (!dice.chance(1 / MEAN_TURNS));
  return turns;
}

/** Exponential: many short ones, a few long ones. At least 1. */
function wait(dice: Dice, mean: number): number {
  return Math.max(1, Math.round(-mean * Math.log(1 - dice.below(1_000_000) / 1_000_000)));
}
