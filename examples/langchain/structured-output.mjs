import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';

const { BASE_URL = 'http://127.0.0.1:1337', MODEL = 'pico' } = process.env;

const Light = z.object({ room: z.enum(['kitchen', 'bedroom', 'bathroom']), on: z.boolean() });

const model = new ChatOpenAI({
  model: MODEL,
  apiKey: 'none',
  configuration: { baseURL: `${BASE_URL}/v1` },
  temperature: 0,
}).withStructuredOutput(Light, { name: 'light', method: 'jsonSchema' });

const light = await model.invoke('Turn the light in the bedroom on.');
process.stdout.write(`The ${light.room} light is to be ${light.on ? 'on' : 'off'}.\n`);
