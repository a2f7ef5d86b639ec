import {
  DRY_BREAKERS,
  SAMPLING_FIELDS,
  SAMPLING_KEYS,
  type Sampling,
  type SamplingKey,
} from '../../src/contract/sampling.ts';
import type { TextEngine } from '../../src/engine/engine.ts';

/** The time in which an engine has read a prompt of so many tokens. */
export interface ReadTime {
  tokens: number;
  ms: number;
}

const defaults = Object.fromEntries(SAMPLING_KEYS.map((key) => [key, SAMPLING_FIELDS[key].default]));
const sampling: Sampling = {
  ...(defaults as Record<SamplingKey, number>),
  temperature: 0,
  seed: 0,
  logitBias: [],
  dryBreakers: DRY_BREAKERS,
};

/** Lets an engine read a prompt of about so many tokens, at most half of its window, and tells the time. */
export async function readTime(engine: TextEngine, tokens: number): Promise<ReadTime> {
  const count = Math.min(tokens, Math.floor(engine.info.contextLength / 2));
  const request = {
    prompt: ' the'.repeat(count),
    sampling,
    grammar: null,
    media: [],
    marks: [],
    stop: [],
    banned: [],
    choices: 1,
    maxTokens: 1,
    logprobs: null,
    cachePrompt: false,
  };
  const time: ReadTime = { tokens: count, ms: 0 };
  const note: Parameters<TextEngine['generate']>[1] = (event) => {
    if (event.kind === 'done') Object.assign(time, { tokens: event.promptTokens, ms: event.promptMs });
  };
  await engine.generate(request, note, new AbortController().signal);
  return time;
}
