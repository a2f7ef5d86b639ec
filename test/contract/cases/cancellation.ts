import { expect } from 'vitest';
import { until } from '../../kit/until.ts';
import type { ContractCase } from '../suite.ts';
import { chatBody, isBusy, isQueued, leaveWhen, openStream, postChat, untilIdle } from '../target.ts';

async function readFirstChunk(response: Response): Promise<void> {
  await response.body?.getReader().read();
}

export const cancellationCases: ContractCase[] = [
  {
    name: 'frees the slot of a stream that its client leaves after the first chunk',
    check: async (target) => {
      const gone = new AbortController();
      await readFirstChunk(await openStream(target, chatBody({ max_tokens: null }), gone.signal));
      gone.abort();
      await untilIdle(target);
      expect((await postChat(target, chatBody())).status).toBe(200);
    },
  },
  {
    name: 'frees the slot of a reply that is not streamed',
    check: async (target) => {
      await postChat(target, chatBody({ max_tokens: 1 }));
      await until(() => leaveWhen(target, chatBody({ max_tokens: null }), isBusy));
      await untilIdle(target);
    },
  },
  {
    name: 'takes a client that leaves out of the queue without disturbing the one that runs',
    check: async (target) => {
      const small = { ...target, url: target.smallUrl };
      const body = chatBody({ max_tokens: 200 });
      const undisturbed = await (await openStream(small, body)).text();
      const content = (text: string) => text.match(/"content":"(?:[^"\\]|\\.)*"/g);
      let hasLeft = false;
      while (!hasLeft) {
        const running = await openStream(small, body);
        hasLeft = await leaveWhen(small, chatBody(), isQueued);
        expect(content(await running.text())).toEqual(content(undisturbed));
      }
      await untilIdle(small);
    },
  },
  {
    name: 'has all slots free again after 50 clients left after their first chunk, and serves the next at once',
    check: async (target) => {
      await Promise.all(
        Array.from({ length: 50 }, async () => {
          const gone = new AbortController();
          await readFirstChunk(await openStream(target, chatBody({ max_tokens: null }), gone.signal));
          gone.abort();
        }),
      );
      expect((await postChat(target, chatBody())).status).toBe(200);
      await untilIdle(target);
    },
  },
];
