import OpenAI from 'openai';
import { expect, it } from 'vitest';
import { servePico } from './pico.ts';

const client = new OpenAI({ baseURL: await servePico('cpu'), apiKey: 'none' });

it('calls a tool and tells its result, through the openai client', async () => {
  const seen: unknown[] = [];
  const runner = client.chat.completions.runTools({
    model: 'pico',
    temperature: 0,
    messages: [{ role: 'user', content: 'What is the weather in Reykjavik?' }],
    tools: [
      {
        type: 'function',
        function: {
          name: 'get_weather',
          description: 'Get the weather of a city',
          parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
          parse: JSON.parse,
          function: (args: unknown) => {
            seen.push(args);
            return '{"temperature": 4, "condition": "drizzle"}';
          },
        },
      },
    ],
  });
  expect(await runner.finalContent()).toBe('The temperature is 4, and the condition is drizzle.');
  expect(seen).toEqual([{ city: 'Reykjavik' }]);
});
