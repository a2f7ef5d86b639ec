import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, stepCountIs, tool } from 'ai';
import { z } from 'zod';

const { BASE_URL = 'http://127.0.0.1:1337', MODEL = 'pico' } = process.env;
const paddock = createOpenAICompatible({ name: 'paddock', baseURL: `${BASE_URL}/v1` });

const getWeather = tool({
  description: 'The current weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => {
    process.stdout.write(`get_weather(${city})\n`);
    return { temperature: 18, condition: 'sunny' };
  },
});

const { text } = await generateText({
  model: paddock(MODEL),
  temperature: 0,
  prompt: 'What is the weather in Lisbon?',
  tools: { get_weather: getWeather },
  // Without this, it ends when the tools have run and the model has not seen their results.
  stopWhen: stepCountIs(5),
});
process.stdout.write(`${text}\n`);
