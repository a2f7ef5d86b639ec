import { expect } from 'vitest';
import type { ContractCase } from '../suite.ts';
import { chatBody, openStream, postChat, readStream } from '../target.ts';

export const choiceCases: ContractCase[] = [
  {
    name: 'gives n choices, each as its own seed gives it alone, with one count of the prompt',
    check: async (target) => {
      const body = chatBody({ temperature: 1, seed: 20, max_tokens: 12 });
      const { body: several } = await postChat(target, { ...body, n: 3 });
      expect(several.choices.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2]);
      expect(several.usage.completion_tokens).toBe(36);
      for (const [index, choice] of several.choices.entries()) {
        const alone = await postChat(target, { ...body, seed: 20 + index });
        expect(choice.message.content).toBe(alone.body.choices[0].message.content);
        expect(several.usage.prompt_tokens).toBe(alone.body.usage.prompt_tokens);
      }
    },
  },
  {
    name: 'streams n choices by index, each with its role first and its finish_reason last',
    check: async (target) => {
      const body = chatBody({ temperature: 1, seed: 20, max_tokens: 12, n: 3 });
      const { body: whole } = await postChat(target, body);
      const events = await readStream(await openStream(target, body));
      expect(events.pop()).toBe('[DONE]');
      for (const index of [0, 1, 2]) {
        const own = events.map((event) => event.choices[0]).filter((choice) => choice.index === index);
        expect(own[0].delta.role).toBe('assistant');
        expect(own.at(-1).finish_reason).toBe('length');
        expect(own.map(({ delta }) => delta.content ?? '').join('')).toBe(whole.choices[index].message.content);
      }
    },
  },
  {
    name: 'takes n up to 8',
    check: async (target) => {
      const { body } = await postChat(target, chatBody({ n: 8, max_tokens: 2, temperature: 1 }));
      expect(body.choices).toHaveLength(8);
    },
  },
  {
    name: 'tells logprobs for each token, with top_logprobs alternatives, whole and streamed alike',
    check: async (target) => {
      // Only ASCII, so that every token is a whole character.
      const body = chatBody({
        max_tokens: 6,
        logprobs: true,
        top_logprobs: 2,
        messages: [{ role: 'user', content: 'x' }],
      });
      const { body: whole } = await postChat(target, body);
      const { content } = whole.choices[0].logprobs;
      expect(content).toHaveLength(6);
      for (const { token, logprob, bytes, top_logprobs } of content) {
        expect(logprob).toBeLessThanOrEqual(0);
        expect(new TextDecoder().decode(Uint8Array.from(bytes))).toBe(token);
        expect(top_logprobs).toHaveLength(2);
      }
      const events = await readStream(await openStream(target, body));
      const streamed = events.flatMap((event) => event.choices?.[0]?.logprobs?.content ?? []);
      expect(streamed.map(({ token }) => token)).toEqual(content.map(({ token }: { token: string }) => token));
    },
  },
  {
    name: 'tells no logprobs unless asked',
    check: async (target) => {
      const { body } = await postChat(target, chatBody());
      expect(body.choices[0].logprobs).toBeNull();
    },
  },
];
