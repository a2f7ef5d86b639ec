import type { CallContext } from '../../src/contract/call-context.ts';
import type { GenerationEvent } from '../../src/contract/events.ts';
import type { GenerationRequest } from '../../src/contract/generation-request.ts';
import type { ChatMessage, ChatPrompt } from '../../src/contract/prompt.ts';
import type { Sampling } from '../../src/contract/sampling.ts';
import type { ChatService } from '../../src/engine/chat-service.ts';
import type { TextRequest } from '../../src/engine/engine.ts';

export const greedy: Sampling = {
  temperature: 0,
  topP: 1,
  topK: 0,
  minP: 0,
  topNSigma: -1,
  typicalP: 1,
  xtcProbability: 0,
  xtcThreshold: 0.1,
  repeatPenalty: 1,
  repeatLastN: 64,
  presencePenalty: 0,
  frequencyPenalty: 0,
  dryMultiplier: 0,
  dryBase: 1.75,
  dryAllowedLength: 2,
  dryPenaltyLastN: 64,
  dynatempRange: 0,
  dynatempExponent: 1,
  mirostat: 0,
  mirostatTau: 5,
  mirostatEta: 0.1,
  seed: 1,
  logitBias: [],
  dryBreakers: ['\n', ':', '"', '*'],
};

/** Leaves a model of random weights three tokens: some guesses of the next one are then right, and others wrong. */
export const narrow: Sampling = {
  ...greedy,
  logitBias: [
    [262, 30],
    [270, 30],
    [281, 30],
  ],
};

/** Returns a greedy request of one user message, as the API makes it. */
export function ask(content: string, more: Partial<GenerationRequest> = {}): GenerationRequest {
  return {
    prompt: chat([{ role: 'user', content }]),
    replyFormat: { kind: 'text' },
    sampling: greedy,
    stop: [],
    banned: [],
    maxTokens: 32,
    cachePrompt: false,
    choices: 1,
    logprobs: null,
    ...more,
  };
}

/** Returns a greedy request of raw text, as an engine takes it. */
export function textRequest(prompt: string, more: Partial<TextRequest> = {}): TextRequest {
  return {
    prompt,
    sampling: greedy,
    grammar: null,
    media: [],
    marks: [],
    stop: [],
    banned: [],
    choices: 1,
    maxTokens: 12,
    logprobs: null,
    cachePrompt: true,
    ...more,
  };
}

/** Returns a conversation without tools. */
export function chat(messages: ChatMessage[], more: Partial<ChatPrompt> = {}): ChatPrompt {
  return {
    kind: 'chat',
    messages,
    tools: [],
    toolChoice: 'none',
    parallelToolCalls: true,
    templateKwargs: {},
    ...more,
  };
}

/** Runs a generation to its end and returns all its events. */
export async function generate(
  engine: Pick<ChatService, 'generate'>,
  request: GenerationRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<GenerationEvent[]> {
  const events: GenerationEvent[] = [];
  await engine.generate(request, (event) => events.push(event), signal);
  return events;
}

export function textOf(events: GenerationEvent[]): string {
  return events.map((event) => (event.kind === 'text' ? event.text : '')).join('');
}

/** Returns the `done` event. Throws if there is none. */
export function doneOf(events: GenerationEvent[]) {
  const last = events.at(-1);
  if (last?.kind !== 'done') throw new Error(`the generation ended with ${last?.kind}`);
  return last;
}

/** Returns the context of a call. Without a signal, the call is never cancelled. */
export function call(signal: AbortSignal = new AbortController().signal): CallContext {
  return { requestId: 'test', signal };
}
