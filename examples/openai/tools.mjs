import OpenAI from 'openai';
import { zodFunction } from 'openai/helpers/zod';
import { z } from 'zod';

const { BASE_URL = 'http://127.0.0.1:1337', MODEL = 'pico' } = process.env;
const client = new OpenAI({ baseURL: `${BASE_URL}/v1`, apiKey: 'none' });

const getWeather = zodFunction({
  name: 'get_weather',
  description: 'The current weather of a city',
  parameters: z.object({ city: z.string() }),
  function: ({ city }) => {
    process.stdout.write(`get_weather(${city})\n`);
    return { temperature: 18, condition: 'sunny' };
  },
});

// Asks, runs the tools that the model calls, gives it their results, and so on until it answers.
const runner = client.chat.completions.runTools({
  model: MODEL,
  temperature: 0,
  messages: [{ role: 'user', content: 'What is the weather in Lisbon?' }],
  tools: [getWeather],
});
process.stdout.write(`${await runner.finalContent()}\n`);
