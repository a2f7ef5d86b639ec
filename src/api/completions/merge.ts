import type { CacheUse, GenerationDone, GenerationEvent, PromptProgress } from '../../contract/events.ts';
import { sum } from '../../utils/sum.ts';
import { createEventQueue } from '../../wire/event-queue.ts';

/**
 * Merges generations that run at the same time into one. Choices are renumbered: each generation has `choices` of them.
 * Progress and counts are sums over all generations. If one fails, all fail. A failure aborts `runs`, and so does
 * ending the iteration.
 */
export function mergeGenerations(
  generations: AsyncIterable<GenerationEvent>[],
  choices: number,
  runs: AbortController,
): AsyncIterable<GenerationEvent> {
  const merged = createEventQueue<GenerationEvent>(() => runs.abort());
  const progress = new Map<number, PromptProgress>();
  const dones: GenerationDone[] = [];

  const follow = async (events: AsyncIterable<GenerationEvent>, index: number) => {
    for await (const event of events) {
      if (event.kind === 'progress') {
        progress.set(index, event);
        merged.push(addProgress([...progress.values()]));
      } else if (event.kind === 'done') {
        dones.push(event);
        if (dones.length === generations.length) merged.push(addDones(dones));
      } else {
        merged.push('choice' in event ? { ...event, choice: index * choices + event.choice } : event);
      }
    }
  };

  Promise.all(generations.map(follow)).then(
    () => merged.end(),
    (error: unknown) => {
      merged.fail(error);
      runs.abort();
    },
  );
  return merged;
}

function addProgress(parts: PromptProgress[]): PromptProgress {
  return {
    kind: 'progress',
    cache: sum(parts.map(({ cache }) => cache)),
    processed: sum(parts.map(({ processed }) => processed)),
    total: sum(parts.map(({ total }) => total)),
    timeMs: Math.max(...parts.map(({ timeMs }) => timeMs)),
  };
}

/** Sums the counts and takes the longest times, since the generations ran at the same time. */
function addDones(parts: GenerationDone[]): GenerationDone {
  const uses = parts.flatMap(({ cache }) => cache ?? []);
  const guesses = parts.flatMap(({ guesses }) => guesses ?? []);
  return {
    kind: 'done',
    promptTokens: sum(parts.map(({ promptTokens }) => promptTokens)),
    cachedTokens: sum(parts.map(({ cachedTokens }) => cachedTokens)),
    completionTokens: sum(parts.map(({ completionTokens }) => completionTokens)),
    promptMs: Math.max(...parts.map(({ promptMs }) => promptMs)),
    predictedMs: Math.max(...parts.map(({ predictedMs }) => predictedMs)),
    ...(guesses.length > 0 && {
      guesses: { made: sum(guesses.map(({ made }) => made)), right: sum(guesses.map(({ right }) => right)) },
    }),
    ...(uses.length > 0 && { cache: addUses(uses) }),
  };
}

/** Sums the counts. The cache misses are left out: there may be one for each prompt. */
function addUses(uses: CacheUse[]): CacheUse {
  return {
    slot: sum(uses.map(({ slot }) => slot)),
    copied: sum(uses.map(({ copied }) => copied)),
    ram: sum(uses.map(({ ram }) => ram)),
    disk: sum(uses.map(({ disk }) => disk)),
  };
}
