import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, Output } from 'ai';
import { z } from 'zod';

const { BASE_URL = 'http://127.0.0.1:1337', MODEL = 'pico' } = process.env;
const paddock = createOpenAICompatible({
  name: 'paddock',
  baseURL: `${BASE_URL}/v1`,
  // Without this, the schema is not sent, and the reply may be any JSON.
  supportsStructuredOutputs: true,
});

const Light = z.object({ room: z.enum(['kitchen', 'bedroom', 'bathroom']), on: z.boolean() });

const { output } = await generateText({
  model: paddock(MODEL),
  temperature: 0,
  prompt: 'Turn the light in the bedroom on.',
  output: Output.object({ schema: Light }),
});
process.stdout.write(`The ${output.room} light is to be ${output.on ? 'on' : 'off'}.\n`);
