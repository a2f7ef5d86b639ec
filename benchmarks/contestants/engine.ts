import { createChatTemplate } from '../../src/core/chat/template.ts';
import { loadNativeEngine } from '../../src/engine/native/engine.ts';
import type { Contestant } from './contestant.ts';

const ignore = () => {};
const silentLog = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Paddock's native engine alone: the step loop, without worker threads and HTTP. */
export const engine: Contestant = {
  name: "Paddock's native engine",
  async start({ path, streams, threads, contextLength }) {
    const loaded = await loadNativeEngine(
      { files: [path], kind: 'chat', slots: streams, threads, contextLength, batchSize: 512 },
      'cpu',
      silentLog,
    );
    const template = createChatTemplate(loaded.traits.chatTemplate, loaded.traits);
    return {
      async generate(message, tokens) {
        let text = '';
        await loaded.generate(
          {
            prompt: template([{ role: 'user', content: message }], [], {}),
            media: [],
            grammar: null,
            marks: [],
            banned: [],
            choices: 1,
            logprobs: null,
            sampling: {
              ...{ temperature: 0, topP: 1, topK: 0, minP: 0, typicalP: 1, seed: 1, logitBias: [] },
              ...{ repeatPenalty: 1, repeatLastN: 0, presencePenalty: 0, frequencyPenalty: 0 },
              ...{ dynatempRange: 0, dynatempExponent: 1, mirostat: 0, mirostatTau: 5, mirostatEta: 0.1 },
            },
            stop: [],
            maxTokens: tokens,
            cachePrompt: false,
          },
          (event) => {
            if (event.kind === 'text') text += event.text;
          },
          new AbortController().signal,
        );
        return text;
      },
      [Symbol.asyncDispose]: () => loaded[Symbol.asyncDispose](),
    };
  },
};
