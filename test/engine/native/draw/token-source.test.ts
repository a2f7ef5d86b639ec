import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Guide } from '../../../../src/engine/native/draw/guide.ts';
import { createPromptLookup } from '../../../../src/engine/native/draw/prompt-lookup.ts';
import { createSpeculation, type Speculation } from '../../../../src/engine/native/draw/speculation.ts';
import type { TokenDrawer } from '../../../../src/engine/native/draw/token-drawer.ts';
import { createTokenSource, type TokenSource } from '../../../../src/engine/native/draw/token-source.ts';
import type { Token } from '../../../../src/engine/native/llama/tokens/token.ts';
import { createPassTimes } from '../../../../src/engine/native/step/pass-times.ts';
import { repeats } from '../../../support/repeats.ts';

const END = 99;

/** A model whose next token depends on all tokens before it, and that often repeats itself. */
const next = (tokens: readonly number[]): Token => {
  const hash = tokens.slice(-3).reduce((sum, token) => (sum * 31 + token) % 1009, 7);
  return hash % 23 === 0 && tokens.length > 12 ? END : hash % 5;
};

/** A drawer over that model. It sees to it that it draws after the tokens that the reply has. */
function createFakeDrawer(history: Token[], sequence: Token[]): TokenDrawer & { draws: number } {
  return {
    highest: 1,
    draws: 0,
    async draw(place) {
      this.draws += 1;
      const same = place === history.length && history.every((token, at) => sequence[at] === token);
      if (!same) throw new Error(`at ${place} the sequence is not what the reply has`);
      const token = next(history);
      if (token === END) return null;
      history.push(token);
      return { token };
    },
    force(token) {
      history.push(token);
      return true;
    },
    close: () => {},
  };
}

interface Run {
  reply: number[];
  passes: number;
  draws: number;
}

/** Writes a reply as the generation does: a pass for each proposal, whose wrong tokens are dropped. */
async function write(
  prompt: number[],
  more: (history: Token[]) => { speculation?: Speculation; guide?: Guide } = () => ({}),
  mostPerStep = 32,
): Promise<Run> {
  const history = prompt;
  const drawn = [...history];
  const sequence: Token[] = [];
  const drawer = createFakeDrawer(drawn, sequence);
  const source: TokenSource = createTokenSource({
    drawer,
    forces: true,
    times: createPassTimes(),
    mostPerStep,
    mostAtFirst: mostPerStep,
    ...more(drawn),
  });
  sequence.push(...history, ...source.opening);
  let gain = await source.draw([sequence.length]);
  const reply = gain.tokens.map(({ token }) => token);
  let passes = 1;
  while (!gain.ended && reply.length < 200) {
    const { tokens, logitsAt } = await source.propose(200 - reply.length - 1);
    expect(tokens.length).toBeLessThanOrEqual(mostPerStep);
    const before = sequence.length;
    sequence.push(...tokens);
    gain = await source.draw(logitsAt.map((index) => before + index + 1));
    sequence.length = before + gain.kept;
    reply.push(...gain.tokens.map(({ token }) => token));
    passes += 1;
  }
  expect([...prompt, ...reply].slice(0, sequence.length)).toEqual(sequence);
  return { reply, passes, draws: drawer.draws };
}

const lookingUp = (history: Token[]) => ({
  speculation: createSpeculation(createPassTimes(), { lookup: createPromptLookup(history) }),
});

/** A draft model that is wrong about every fourth token. */
const drafting = (history: Token[]) => ({
  speculation: createSpeculation(createPassTimes(), {
    lookup: { update: () => {}, guess: () => [] },
    draft: {
      tokenMs: () => 0,
      async guess(count) {
        const text = [...history];
        for (let ahead = 0; ahead < count; ahead++) text.push((next(text) + (text.length % 4 === 0 ? 1 : 0)) % 5);
        return text.slice(history.length);
      },
    },
  }),
});

/** A guide by which tokens 2, 3 and 4 have to follow every 1, and nothing may follow a 4 after 3 others. */
function createFakeGuide(): Guide {
  let last = -1;
  return {
    take(token) {
      last = token;
    },
    forced: () => (last >= 1 && last < 4 ? [2, 3, 4].slice(last - 1) : []),
    likely: () => [],
    progress: undefined,
    giveUp() {
      last = -1;
    },
    get complete() {
      return last === 77;
    },
  };
}

describe('guessed tokens', () => {
  const prompts = fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 30 });

  it('leave the reply as it is without them', async () => {
    await fc.assert(
      fc.asyncProperty(prompts, fc.integer({ min: 1, max: 32 }), async (prompt, mostPerStep) => {
        const plain = await write([...prompt]);
        const guessed = await write([...prompt], lookingUp, mostPerStep);
        expect(guessed.reply).toEqual(plain.reply);
        expect(guessed.draws).toBe(plain.draws);
        expect(guessed.passes).toBeLessThanOrEqual(plain.passes);
      }),
      { numRuns: repeats(100, 400) },
    );
  });

  it.each([32, 5, 1])('of a draft model leave it as it is, too, in passes of %i tokens', async (mostPerStep) => {
    const plain = await write([0, 1]);
    const guessed = await write([0, 1], drafting, mostPerStep);
    expect(guessed.reply).toEqual(plain.reply);
    expect(guessed.draws).toBe(plain.draws);
    if (mostPerStep > 1) expect(guessed.passes).toBeLessThan(plain.passes / 1.5);
  });

  it('take fewer passes where the reply repeats something', async () => {
    const plain = await write([0, 1]);
    const guessed = await write([0, 1], lookingUp);
    expect(plain.reply.length).toBeGreaterThan(100);
    expect(guessed.passes).toBeLessThan(plain.passes / 2);
  });
});

describe('forced tokens', () => {
  it('are part of the reply, not drawn, and evaluated with the token before them', async () => {
    const history = [0];
    const sequence: Token[] = [];
    const drawer = createFakeDrawer(history, sequence);
    drawer.draw = async () => {
      history.push(1);
      return { token: 1 };
    };
    const source = createTokenSource({
      drawer,
      forces: true,
      times: createPassTimes(),
      guide: createFakeGuide(),
      mostPerStep: 8,
      mostAtFirst: 8,
    });
    expect(await source.draw([1])).toEqual({ tokens: [1, 2, 3, 4].map((token) => ({ token })), kept: 0, ended: false });
    expect(await source.propose(8)).toEqual({ tokens: [1, 2, 3, 4], logitsAt: [3] });
    expect((await source.draw([5])).kept).toBe(4);
    expect(history).toEqual([0, 1, 2, 3, 4, 1, 2, 3, 4]);
  });

  it('go together with guesses', async () => {
    const both = (history: Token[]) => ({ ...lookingUp(history), guide: createFakeGuide() });
    const forced = (_: Token[]) => ({ guide: createFakeGuide() });
    for (const prompt of [[0, 1], [3, 3, 2], [5]]) {
      const [one, other] = [await write([...prompt], forced), await write([...prompt], both)];
      expect(other.reply).toEqual(one.reply);
    }
  });

  it('are evaluated one by one where many other replies are written, for whom a longer pass is lost time', async () => {
    const times = createPassTimes();
    times.note({ tokens: 16, replies: 16, batches: [{ sequences: 16, width: 1 }], ms: 60 });
    const drawer = createFakeDrawer([0], []);
    drawer.draw = async () => ({ token: 1 });
    const source = createTokenSource({
      drawer,
      forces: true,
      times,
      guide: createFakeGuide(),
      mostPerStep: 8,
      mostAtFirst: 8,
    });
    const { tokens } = await source.draw([1]);
    expect(tokens.map(({ token }) => token)).toEqual([1, 2, 3, 4]);
    for (const token of [1, 2, 3]) {
      expect(await source.propose(8)).toEqual({ tokens: [token], logitsAt: [0] });
      expect(await source.draw([token + 1])).toEqual({ tokens: [], kept: 1, ended: false });
    }
    expect(await source.propose(8)).toEqual({ tokens: [4], logitsAt: [0] });
    expect((await source.draw([5])).tokens).toHaveLength(4);
  });

  it('are evaluated with the prompt at the beginning of a reply', async () => {
    const drawer = createFakeDrawer([0], [0, 2, 3, 4]);
    const guide = createFakeGuide();
    guide.take(1);
    const source = createTokenSource({
      drawer,
      forces: true,
      times: createPassTimes(),
      guide,
      mostPerStep: 8,
      mostAtFirst: 2,
    });
    expect(source.opening).toEqual([2, 3]);
    const { tokens } = await source.draw([3]);
    expect(tokens.slice(0, 2)).toEqual([{ token: 2 }, { token: 3 }]);
    expect(tokens.length).toBeGreaterThan(2);
  });

  it('end the reply without a draw where nothing may follow', async () => {
    const drawer = createFakeDrawer([0], [0]);
    const guide = { ...createFakeGuide(), forced: (): Token[] => [], complete: true };
    const source = createTokenSource({
      drawer,
      forces: true,
      times: createPassTimes(),
      guide,
      mostPerStep: 8,
      mostAtFirst: 8,
    });
    expect(await source.draw([1])).toEqual({ tokens: [], kept: 0, ended: true });
    expect(drawer.draws).toBe(0);
  });

  it('are no more than the reply has room for, where the only way through a grammar has no end', async () => {
    const drawer = createFakeDrawer([0], []);
    drawer.draw = async () => ({ token: 1 });
    const guide = { ...createFakeGuide(), forced: () => [1, 2] };
    const options = { drawer, guide, forces: true, times: createPassTimes(), mostPerStep: 8 };
    const source = createTokenSource({ ...options, mostAtFirst: 9 });
    expect(source.opening).toHaveLength(9);
    expect((await source.draw([1])).tokens).toHaveLength(10);
    const wide = createTokenSource({ ...options, mostAtFirst: 1_000_000 });
    expect(wide.opening.length).toBeLessThan(1000);
    expect((await wide.draw([1])).tokens.length).toBeLessThan(2000);
  });

  it('are found again after a draw, as many as there is room for then', async () => {
    const drawer = createFakeDrawer([0], []);
    drawer.draw = async () => ({ token: 1 });
    let forced: Token[] = [];
    const guide = { ...createFakeGuide(), forced: () => forced };
    const source = createTokenSource({
      drawer,
      guide,
      forces: true,
      times: createPassTimes(),
      mostPerStep: 8,
      mostAtFirst: 100,
    });
    await source.draw([1]);
    source.propose(5);
    forced = [2];
    expect((await source.draw([2])).tokens.map(({ token }) => token)).toEqual([1, 2, 2, 2, 2, 2]);
  });

  it('are neither forced nor guessed any more when llama.cpp has refused one', async () => {
    const drawer = { ...createFakeDrawer([0], []), force: () => false };
    drawer.draw = async () => ({ token: 1 });
    const guide = createFakeGuide();
    let givenUp = 0;
    guide.giveUp = () => {
      givenUp += 1;
    };
    guide.take(1);
    createTokenSource({ drawer, guide, forces: true, times: createPassTimes(), mostPerStep: 8, mostAtFirst: 8 });
    expect(givenUp).toBe(1);
  });

  it('are given up when llama.cpp does not take one', async () => {
    const drawer = { ...createFakeDrawer([0], []), force: () => false };
    const guide = createFakeGuide();
    guide.take(1);
    expect(
      createTokenSource({ drawer, forces: true, times: createPassTimes(), guide, mostPerStep: 8, mostAtFirst: 8 })
        .opening,
    ).toEqual([]);
  });
});
