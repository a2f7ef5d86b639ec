import OpenAI from 'openai';

const { BASE_URL = 'http://127.0.0.1:1337', MODEL = 'pico' } = process.env;

// Paddock asks for no key unless it was started with one, but this package wants a text.
const client = new OpenAI({ baseURL: `${BASE_URL}/v1`, apiKey: 'none' });

const stream = await client.chat.completions.create({
  model: MODEL,
  messages: [{ role: 'user', content: 'What can you do?' }],
  stream: true,
});
for await (const { choices } of stream) process.stdout.write(choices[0]?.delta.content ?? '');
process.stdout.write('\n');
