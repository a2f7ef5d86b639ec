import { copyCache, type LlamaContext, type LlamaContextSequence, slotPriority, type Token } from './llama.ts';

/** A place for one generation, with the KV cache that its last one left. */
export interface Slot {
  index: number;
  sequence: LlamaContextSequence;
  busy: boolean;
  /** `performance.now()` when its last generation began. */
  usedAt: number;
  /** Evaluates tokens without drawing one, in the batch's order of slots. */
  evaluate(tokens: Token[]): Promise<undefined>;
}

export function createSlots(context: LlamaContext): Slot[] {
  return Array.from({ length: context.totalSequences }, (_, index) => {
    const sequence = context.getSequence();
    return {
      index,
      sequence,
      busy: false,
      usedAt: 0,
      async evaluate(tokens) {
        await sequence.evaluateWithoutGeneratingNewTokens(tokens, { evaluationPriority: slotPriority(index) });
        return undefined;
      },
    };
  });
}

/** What the choice of a slot goes by. Counts are tokens. */
export interface SlotCandidate {
  busy: boolean;
  usedAt: number;
  cached: number;
  /** Of the cached tokens, how many the prompt begins with. */
  shared: number;
}

/**
 * The free slot to run a prompt on, as an index; undefined when all are busy. One whose cache the prompt mostly
 * continues is taken, else the one unused for longest: a mere common beginning, say a system prompt, is no reason to
 * overwrite another conversation.
 */
export function chooseSlot(candidates: SlotCandidate[]): number | undefined {
  const free = candidates.map((candidate, index) => ({ ...candidate, index })).filter(({ busy }) => !busy);
  const [continued] = free
    .filter(({ shared, cached }) => shared > 0 && shared >= cached / 2)
    .sort((a, b) => b.shared - a.shared);
  const [oldest] = free.sort((a, b) => a.usedAt - b.usedAt);
  return (continued ?? oldest)?.index;
}

/**
 * Leaves in the slot's KV cache what the prompt can use of it and gives the count of those tokens. The prompt's last
 * token is never among them, since evaluating it is what gives the first token of the reply.
 */
export async function prepareSlot({ sequence }: Slot, prompt: Token[], useCache: boolean): Promise<number> {
  if (useCache) await sequence.adaptStateToTokens(prompt.slice(0, -1), false);
  else await sequence.clearHistory();
  return sequence.nextTokenIndex;
}

/** Gives another slot what the first has of the prompt; where that can't be, the other evaluates it anew. */
export async function shareCache(from: Slot, to: Slot, prompt: Token[]): Promise<void> {
  const shared = from.sequence.compareContextTokens(prompt).firstDifferentIndex;
  await to.sequence.clearHistory();
  const copied = await copyCache(from.sequence, to.sequence, shared);
  if (!copied) await to.sequence.clearHistory();
}
