import { readFileSync } from 'node:fs';

/** The model as it ships, from the root of the repository. */
export const MODEL = 'models/pico/pico.gguf';

/** The chat template that pico was trained with. */
export function template(): string {
  return readFileSync('models/pico/chat-template.jinja', 'utf8').trim();
}
