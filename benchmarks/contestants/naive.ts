import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { createChatTemplate } from '../../src/core/chat/template.ts';
import type { Contestant } from './contestant.ts';

/** node-llama-cpp as its guides show it: each request has its own sequence and its own loop over `evaluate`. */
export const naive: Contestant = {
  name: 'node-llama-cpp, a loop per request',
  async start({ path, streams, threads, contextLength }) {
    const llama = await getLlama({ build: 'never', gpu: false, progressLogs: false, logLevel: LlamaLogLevel.error });
    const model = await llama.loadModel({ modelPath: path });
    const context = await model.createContext({
      sequences: streams,
      contextSize: contextLength,
      batchSize: 512,
      threads,
    });
    const free = Array.from({ length: streams }, () => context.getSequence());
    const template = createChatTemplate(model.fileInfo.metadata.tokenizer.chat_template, { bos: '', eos: '' });

    return {
      async generate(message, tokens) {
        const sequence = free.pop();
        if (!sequence) throw new Error('more requests than sequences');
        await sequence.clearHistory();
        const prompt = model.tokenize(template([{ role: 'user', content: message }], [], {}), true);
        const reply = [];
        for await (const token of sequence.evaluate(prompt, { temperature: 0, yieldEogToken: true })) {
          reply.push(token);
          if (reply.length === tokens) break;
        }
        free.push(sequence);
        return model.detokenize(reply);
      },
      async [Symbol.asyncDispose]() {
        await model.dispose();
        await llama.dispose();
      },
    };
  },
};
