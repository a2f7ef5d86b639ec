import { basename, dirname } from 'node:path';
import { startServer } from '../../test/support/server.ts';
import type { Contestant } from './contestant.ts';

/** The whole of Paddock as a client sees it: HTTP, worker thread and engine. Every reply is a stream. */
export const server: Contestant = {
  name: 'Paddock over HTTP',
  async start({ path, streams, threads, contextLength }) {
    const flags = { models: dirname(path), slots: streams, threads, 'ctx-len': contextLength, backend: 'cpu' };
    const running = await startServer(Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, String(value)]));
    return {
      async generate(message, tokens) {
        const response = await fetch(`${running.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            model: basename(path, '.gguf'),
            messages: [{ role: 'user', content: message }],
            ...{ temperature: 0, repeat_penalty: 1, max_tokens: tokens, cache_prompt: false, stream: true },
          }),
        });
        const events = (await response.text()).split('\n\n').filter((event) => event.startsWith('data: {'));
        return events.map((event) => JSON.parse(event.slice(6)).choices[0]?.delta.content ?? '').join('');
      },
      async [Symbol.asyncDispose]() {
        await running.stop();
      },
    };
  },
};
