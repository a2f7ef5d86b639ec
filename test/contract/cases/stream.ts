import { expect } from 'vitest';
import type { ContractCase } from '../suite.ts';
import { chatBody, contentOf, openai, openStream, postChat, readStream } from '../target.ts';

export const streamCases: ContractCase[] = [
  {
    name: 'streams to the openai client what it would have answered whole, at temperature 0',
    check: async (target) => {
      const body = {
        model: 'tiny',
        messages: [{ role: 'user' as const, content: 'hello' }],
        temperature: 0,
        max_tokens: 100,
      };
      const whole = await openai(target).chat.completions.create(body);
      let text = '';
      const stream = await openai(target).chat.completions.create({ ...body, stream: true });
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
      expect(text).toBe(whole.choices[0]?.message.content);
      expect(text.length).toBeGreaterThan(50);
    },
  },
  {
    name: 'sends server-sent events: data lines, a blank line between, [DONE] at the end',
    check: async (target) => {
      const response = await openStream(target, chatBody());
      expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
      const text = await response.text();
      expect(text.endsWith('\n\ndata: [DONE]\n\n')).toBe(true);
      for (const event of text.trimEnd().split('\n\n')) expect(event).toMatch(/^(data: \S.*|: ping)$/);
    },
  },
  {
    name: 'keeps the chunk rules: one id, the role first, finish_reason only at the end',
    check: async (target) => {
      const events = await readStream(await openStream(target, chatBody()));
      expect(events.pop()).toBe('[DONE]');
      expect(new Set(events.map(({ id }) => id)).size).toBe(1);
      for (const event of events) {
        expect(event).toMatchObject({ object: 'chat.completion.chunk', model: 'tiny', created: events[0].created });
        expect(event.choices).toHaveLength(1);
      }
      expect(events[0].choices[0].delta).toEqual({ role: 'assistant', content: '' });
      const reasons = events.map(({ choices }) => choices[0].finish_reason);
      expect(reasons.pop()).toBe('length');
      expect(reasons.every((reason) => reason === null)).toBe(true);
      expect(events.slice(1).every(({ choices }) => choices[0].delta.role === undefined)).toBe(true);
    },
  },
  {
    name: 'sends no usage unless asked, and then one last chunk with no choices',
    check: async (target) => {
      const plain = await readStream(await openStream(target, chatBody()));
      expect(plain.some((event) => event.usage)).toBe(false);
      const asked = await readStream(await openStream(target, chatBody({ stream_options: { include_usage: true } })));
      expect(asked.at(-2)).toMatchObject({ choices: [], usage: { completion_tokens: 16 } });
      expect(asked.filter((event) => event.usage)).toHaveLength(1);
    },
  },
  {
    name: 'tells the final prompt_progress in the first chunk',
    check: async (target) => {
      const [first] = await readStream(await openStream(target, chatBody({ cache_prompt: false })));
      const { cache, processed, total, time_ms } = first.prompt_progress;
      expect({ cache, processed }).toEqual({ cache: 0, processed: total });
      expect(time_ms).toBeGreaterThanOrEqual(0);
    },
  },
  {
    name: 'tells the progress of each prefill step when asked with return_progress',
    check: async (target) => {
      const messages = [{ role: 'user', content: 'word '.repeat(180) }];
      const body = chatBody({ messages, return_progress: true, cache_prompt: false });
      const events = await readStream(await openStream(target, body));
      const progress = events.flatMap((event) => event.prompt_progress ?? []);
      expect(progress.length).toBeGreaterThan(2);
      const processed = progress.map((step) => step.processed);
      expect(processed).toEqual([...processed].sort((a, b) => a - b));
      expect(processed.at(-1)).toBe(progress[0].total);
    },
  },
  {
    name: 'streams an overlong prompt as an empty reply with finish_reason length',
    check: async (target) => {
      const events = await readStream(
        await openStream(target, chatBody({ messages: [{ role: 'user', content: 'q'.repeat(3000) }] })),
      );
      expect(contentOf(events)).toBe('');
      expect(events.at(-2).choices[0].finish_reason).toBe('length');
      expect(events.at(-1)).toBe('[DONE]');
    },
  },
  {
    name: 'never sends half a UTF-8 character',
    check: async (target) => {
      const response = await openStream(target, chatBody({ max_tokens: 300 }));
      const events = await readStream(response);
      const pieces = events.flatMap((event) => event.choices?.[0]?.delta?.content ?? []);
      for (const piece of pieces) expect(piece.isWellFormed?.() ?? true).toBe(true);
      const whole = await postChat(target, chatBody({ max_tokens: 300 }));
      expect(pieces.join('')).toBe(whole.body.choices[0].message.content);
      expect(pieces.join('')).toMatch(/\p{Letter}|\p{Emoji_Presentation}/u);
    },
  },
  {
    name: 'serves many streams at once, each to its end',
    check: async (target) => {
      const prompts = Array.from({ length: 8 }, (_, index) => `prompt number ${index}`);
      const streams = await Promise.all(
        prompts.map(async (content) =>
          readStream(await openStream(target, chatBody({ messages: [{ role: 'user', content }] }))),
        ),
      );
      for (const events of streams) expect(events.at(-1)).toBe('[DONE]');
      expect(new Set(streams.map(contentOf)).size).toBe(8);
    },
  },
];
