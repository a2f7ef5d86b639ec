import { ChatOpenAI } from '@langchain/openai';

const { BASE_URL = 'http://127.0.0.1:1337', MODEL = 'pico' } = process.env;

// Paddock asks for no key unless it was started with one, but this package wants a text.
const model = new ChatOpenAI({ model: MODEL, apiKey: 'none', configuration: { baseURL: `${BASE_URL}/v1` } });

for await (const { text } of await model.stream('What can you do?')) process.stdout.write(text);
process.stdout.write('\n');
