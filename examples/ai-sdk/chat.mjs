import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText } from 'ai';

const { BASE_URL = 'http://127.0.0.1:1337', MODEL = 'pico' } = process.env;
const paddock = createOpenAICompatible({ name: 'paddock', baseURL: `${BASE_URL}/v1` });

const { textStream } = streamText({ model: paddock(MODEL), prompt: 'What can you do?' });
for await (const text of textStream) process.stdout.write(text);
process.stdout.write('\n');
