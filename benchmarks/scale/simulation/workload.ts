import { createDice, type Dice } from '../../../test/kit/dice.ts';

/** The parameters of a workload. */
export interface WorkloadOptions {
  seed: number;
  /** The time in which conversations begin, in ms. */
  durationMs: number;
  /** Conversations that begin in a second, in the whole fleet. */
  conversationsPerSecond: number;
  /** The longest prompt with its reply, in tokens. */
  contextLength: number;
  /** The share of conversations, 0 to 1, with one common `prompt_cache_key`. */
  hotShare: number;
}

/** One turn: the new tokens of its prompt, and its reply. */
export interface Turn {
  newTokens: number;
  replyTokens: number;
  /** Time until the user answers, in ms. */
  thinkMs: number;
}

export interface Conversation {
  id: number;
  /** The routing key: the id of the conversation, or the hot key. */
  key: number;
  /** The program that holds the conversation. All its conversations begin with the same system prompt. */
  app: number;
  /** The length of the system prompt. The first turn's new tokens follow it. */
  systemTokens: number;
  beginsAtMs: number;
  turns: Turn[];
}

const APPS = 50;
const MEAN_TURNS = 6;
const MEAN_MESSAGE_TOKENS = 60;
const MEAN_REPLY_TOKENS = 60;
const MEAN_THINK_MS = 30_000;
/** The key of all hot conversations. Other keys are ids, which are at least 0. */
const HOT_KEY = -1;

/** Makes the conversations of a workload, sorted by their beginning. The same options make the same conversations. */
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

/** Makes the turns of a conversation, which ends at random after each turn, or once the window is full. */
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

/** Returns a random whole number of at least 1, exponentially distributed: many short ones, a few long ones. */
function wait(dice: Dice, mean: number): number {
  return Math.max(1, Math.round(-mean * Math.log(1 - dice.below(1_000_000) / 1_000_000)));
}
