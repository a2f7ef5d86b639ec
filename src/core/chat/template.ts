import { Template } from '@huggingface/jinja';
import { invalidRequest } from '../errors.ts';
import type { ChatMessage } from '../runner.ts';
import type { Tool } from './formats/format.ts';
import { detectFormat, toolVariants, toTemplateMessages } from './formats/index.ts';

/** Turns a conversation into the prompt text of a model. Throws a 400 `ApiError` when the template refuses it. */
export type ChatTemplate = (messages: ChatMessage[], tools: Tool[], kwargs: Record<string, unknown>) => string;

/** For a model without a template of its own: ChatML, the format that most are trained on. */
const CHATML = `{% for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`;

/** What some models' templates say in Python's words, and what the Jinja library understands of it. */
const REPAIRS: [pattern: RegExp, replacement: string][] = [
  // Functionary: a tuple in a list.
  [/\(("[^"]*"),\s*("[^"]*")\)(?=\s*[,\]])/g, '[$1, $2]'],
  // Functionary: a text times a number.
  [/"( +)" \* depth/g, '"$1"'],
  // Hermes 3: a filter that is a method of dictionaries.
  [/json_spec\|items/g, 'json_spec["items"]'],
];

/** Compiles a model's Jinja template. The special tokens are given as text, '' where a model has none. */
export function createChatTemplate(source: string | undefined, tokens: { bos: string; eos: string }): ChatTemplate {
  const repaired = REPAIRS.reduce(
    (text, [pattern, replacement]) => text.replace(pattern, replacement),
    source ?? CHATML,
  );
  const template = new Template(repaired);
  const format = detectFormat(source);

  return (messages, tools, kwargs) => {
    const render = (shown: unknown[] | undefined) =>
      template.render({
        ...kwargs,
        messages: toTemplateMessages(messages, format),
        ...(shown && { tools: shown }),
        add_generation_prompt: true,
        bos_token: tokens.bos,
        eos_token: tokens.eos,
      });
    let refusal: unknown;
    // Templates differ in what they take for a tool; the first variant that one takes is the fullest.
    for (const shown of toolVariants(tools)) {
      try {
        return render(shown);
      } catch (error) {
        refusal ??= error;
      }
    }
    const reason = refusal instanceof Error ? refusal.message : String(refusal);
    throw invalidRequest(`The model's chat template does not take this conversation: ${reason}`, 'messages');
  };
}
