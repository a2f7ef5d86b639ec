import { describe, expect, it } from 'vitest';
import { merge } from '../../../../web/chat/conversation/tree/merge.ts';
import { addTurn, newHead, setCut, setDeleted, withValues } from '../../../../web/chat/conversation/tree/operations.ts';
import { createClock } from '../../../../web/chat/conversation/tree/stamp.ts';
import { NO_CHATS, type Patch } from '../../../../web/chat/conversation/tree/tree.ts';
import { inEnglish } from '../../../../web/chat/messages/translate.ts';
import type { Health } from '../../../../web/chat/page/health.ts';
import { NO_SETTINGS } from '../../../../web/chat/settings/settings.ts';
import { fillOf, reserveOf, tokensByLastReply, windowOf } from '../../../../web/chat/window/fill.ts';
import { likelyWindow, modelsWithMore, wayToMore } from '../../../../web/chat/window/larger.ts';
import { whereToCut } from '../../../../web/chat/window/where-to-cut.ts';
import { model, reply, talk, user } from './support.ts';

const STATS = { promptTokens: 70, cachedTokens: 0, tokens: 30, tokensPerSecond: 1, firstTokenMs: 1, totalMs: 1 };

const loaded = (id: string, contextLength: number): Health => ({
  models: [
    {
      id,
      backend: 'cpu',
      device: 'cpu',
      fallback_reasons: [],
      context_length: contextLength,
      memory: 1,
      busy: 0,
      waiting: 0,
    },
  ],
  moving: [],
});

describe('the fill of a window', () => {
  it('goes by the window that a slot has, once the model is loaded', () => {
    expect(windowOf(null, model())).toBe(1000);
    expect(windowOf(loaded('tiny', 512), model())).toBe(512);
    expect(windowOf(loaded('other', 512), model())).toBe(1000);
  });

  it('keeps room for the reply: as long as the settings let it be, but a quarter of the window at most', () => {
    expect(reserveOf(NO_SETTINGS, 32_768)).toBe(1024);
    expect(reserveOf(NO_SETTINGS, 1000)).toBe(250);
    expect(reserveOf({ ...NO_SETTINGS, sampling: { max_tokens: 100 } }, 1000)).toBe(100);
    expect(reserveOf({ ...NO_SETTINGS, sampling: { max_tokens: 900 } }, 1000)).toBe(250);
  });

  it('is quiet below the half, and full when the reply may lack room', () => {
    const levels = [0, 499, 500, 750, 751, 2000].map((used) => fillOf(used, NO_SETTINGS, 1000).level);
    expect(levels).toEqual(['quiet', 'quiet', 'half', 'half', 'full', 'full']);
  });
});

describe('the tokens that the last reply tells', () => {
  const clock = createClock('a', () => 1);
  const start = () => {
    let chats = merge(NO_CHATS, { heads: [newHead('c', clock.next())], messages: [] });
    const head = () => chats.heads.c ?? newHead('never', clock.next());
    const message = (id: string) => {
      const found = chats.messages.c?.[id];
      if (!found) throw new Error(`there is no message ${id}`);
      return found;
    };
    const take = (patch: Patch) => {
      chats = merge(chats, patch);
    };
    take(addTurn(head(), null, user('q'), clock.next()));
    take(addTurn(head(), 'q', reply('a', { stats: STATS }), clock.next()));
    return { take, head, message, tokens: (id = 'tiny') => tokensByLastReply(head(), chats.messages.c ?? {}, id) };
  };

  it('are those of its prompt and its own, each once if it was continued', () => {
    expect(start().tokens()).toBe(100);
    const one = start();
    one.take(addTurn(one.head(), 'q', reply('b', { stats: { ...STATS, tokens: 40, inPrompt: 10 } }), clock.next()));
    expect(one.tokens()).toBe(100);
  });

  it('say nothing of another model, of thoughts, and of what was said since', () => {
    expect(start().tokens('other')).toBeNull();
    const more = start();
    more.take(addTurn(more.head(), 'a', user('and?'), clock.next()));
    expect(more.tokens()).toBeNull();
    more.take(addTurn(more.head(), 'and?', reply('b', { stats: STATS, reasoning: 'Hm.' }), clock.next()));
    expect(more.tokens()).toBeNull();
  });

  it('say nothing once turns were left out or deleted, or the settings were changed, until the next reply', () => {
    const changes = [
      (one: ReturnType<typeof start>) => setCut(one.message('q'), { summary: null }, clock.next()),
      (one: ReturnType<typeof start>) => setDeleted(one.message('q'), true, clock.next()),
      (one: ReturnType<typeof start>) => ({
        heads: [withValues(one.head(), { settings: NO_SETTINGS }, clock.next())],
        messages: [],
      }),
    ];
    for (const make of changes) {
      const one = start();
      one.take(make(one));
      expect(one.tokens()).toBeNull();
      one.take(addTurn(one.head(), 'a', user('and?'), clock.next()));
      one.take(addTurn(one.head(), 'and?', reply('b', { stats: STATS }), clock.next()));
      expect(one.tokens()).toBe(100);
    }
  });
});

describe('the place where a conversation is cut', () => {
  const turns = [user('1'.repeat(10)), reply('2'.repeat(10)), user('3'.repeat(10)), reply('4'.repeat(10)), user('5')];

  it('is before the question from which on all fits, by the tokens that were counted', () => {
    expect(whereToCut(talk(...turns), 82, 82)).toBe(2);
    expect(whereToCut(talk(...turns), 82, 42)).toBe(2);
    expect(whereToCut(talk(...turns), 82, 41)).toBe(4);
  });

  it('always keeps the last question, and is nowhere if there is nothing before that', () => {
    expect(whereToCut(talk(...turns), 82, 0)).toBe(4);
    expect(whereToCut(talk(user('one')), 82, 0)).toBeNull();
    const cut = { ...talk(...turns), leftOut: { messageId: '4', turns: 4, summary: null } };
    expect(whereToCut(cut, 2, 0)).toBeNull();
  });

  it('counts the words of attached files', () => {
    const file = { name: 'long.txt', size: 100, text: 'x'.repeat(100) };
    const given = [{ ...user('first'), files: [file] }, reply('b'), user('c'), reply('d'), user('e')];
    expect(whereToCut(talk(...given), 200, 100)).toBe(2);
  });

  it('moves on from where it was', () => {
    const cut = { ...talk(...turns), leftOut: { messageId: '2', turns: 2, summary: null } };
    expect(whereToCut(cut, 42, 10)).toBe(4);
  });
});

describe('a larger window', () => {
  it('is that of other chat models, the largest first', () => {
    const models = [
      model(),
      model({}, {}, { id: 'mid', context_length: 4096 }),
      model({}, {}, { id: 'big', context_length: 8192 }),
      model({}, { embedding: true }, { id: 'vectors', context_length: 9000 }),
      model({}, {}, { id: 'small', context_length: 2048 }),
    ];
    const offered = (health: Health | null = null) =>
      modelsWithMore(models, health, 'server', 1000).map(({ id }) => id);
    expect(offered()).toEqual(['big', 'mid']);
    expect(offered(loaded('big', 512))).toEqual(['mid', 'small']);
  });

  it('is no larger than what a model gets without being asked, unless it is loaded', () => {
    const long = model({}, {}, { context_length: 131_072 });
    expect(likelyWindow(long, null, 'server')).toBe(8192);
    expect(likelyWindow(long, null, 'browser')).toBe(4096);
    expect(likelyWindow({ ...long, loaded: true }, loaded('tiny', 32_768), 'server')).toBe(32_768);
  });

  it('is told how to get, or why there is none', () => {
    const long = model({}, {}, { meta: { n_ctx: 1000, n_ctx_train: 8000, n_params: 1, size: 1 } });
    expect(wayToMore(long, 1000, 'server', inEnglish)).toMatch(
      /up to 8,000 tokens and has 1,000 tokens here.*--ctx-len 8000/,
    );
    expect(wayToMore(long, 1000, 'browser', inEnglish)).toMatch(/memory of a browser/);
    expect(wayToMore(model(), 1000, 'server', inEnglish)).toBe(
      'Tiny was made for 1,000 tokens: a larger window would not help it.',
    );
  });
});
