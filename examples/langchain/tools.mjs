import { HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';

const { BASE_URL = 'http://127.0.0.1:1337', MODEL = 'pico' } = process.env;

const getWeather = tool(
  async ({ city }) => {
    process.stdout.write(`get_weather(${city})\n`);
    return JSON.stringify({ temperature: 18, condition: 'sunny' });
  },
  { name: 'get_weather', description: 'The current weather of a city', schema: z.object({ city: z.string() }) },
);

const model = new ChatOpenAI({
  model: MODEL,
  apiKey: 'none',
  configuration: { baseURL: `${BASE_URL}/v1` },
  temperature: 0,
}).bindTools([getWeather]);

/** @type {import('@langchain/core/messages').BaseMessage[]} */
const messages = [new HumanMessage('What is the weather in Lisbon?')];
let reply = await model.invoke(messages);

// The model only says which calls it wants. The program runs them, and asks again with their results.
while (reply.tool_calls?.length) {
  messages.push(reply);
  for (const call of reply.tool_calls) messages.push(await getWeather.invoke({ ...call, type: 'tool_call' }));
  reply = await model.invoke(messages);
}
process.stdout.write(`${reply.text}\n`);
