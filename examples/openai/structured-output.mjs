import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';

const { BASE_URL = 'http://127.0.0.1:1337', MODEL = 'pico' } = process.env;
const client = new OpenAI({ baseURL: `${BASE_URL}/v1`, apiKey: 'none' });

const Light = z.object({ room: z.enum(['kitchen', 'bedroom', 'bathroom']), on: z.boolean() });

const { choices } = await client.chat.completions.parse({
  model: MODEL,
  temperature: 0,
  messages: [{ role: 'user', content: 'Turn the light in the bedroom on.' }],
  response_format: zodResponseFormat(Light, 'light'),
});
const light = choices[0]?.message.parsed;
if (!light) throw new Error(`no whole object: finish_reason is ${choices[0]?.finish_reason}`);
process.stdout.write(`The ${light.room} light is to be ${light.on ? 'on' : 'off'}.\n`);
