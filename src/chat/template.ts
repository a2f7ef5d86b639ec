import { Template } from '@huggingface/jinja';
import { invalidRequest } from '../contract/errors.ts';
import type { ChatMessage } from '../contract/prompt.ts';
import type { Tool } from './formats/format.ts';
import { detectFormat, toolVariants, toTemplateMessages } from './formats/index.ts';

/**
 * Turns a conversation into the prompt of a model, with the beginning of a reply at its end unless `begins` is false.
 * Throws a 400 `ApiError` if the template refuses the conversation.
 */
export type ChatTemplate = (
  messages: ChatMessage[],
  tools: Tool[],
  kwargs: Record<string, unknown>,
  begins?: boolean,
) => string;

/** ChatML, for models without a template: most models are trained on it. */
const CHATML = `{% for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`;

/** Replaces Python expressions in some models' templates, which the Jinja library does not understand. */
const REPAIRS: [pattern: RegExp, replacement: string][] = [
  // Functionary: a tuple in a list.
  [/\(("[^"]*"),\s*("[^"]*")\)(?=\s*[,\]])/g, '[$1, $2]'],
  // Functionary: a string times a number.
  [/"( +)" \* depth/g, '"$1"'],
  // Hermes 3: a filter that is a method of dictionaries.
  [/json_spec\|items/g, 'json_spec["items"]'],
];

/**
 * Compiles a model's Jinja template; ChatML if `source` is undefined. `tokens` has the special tokens as text, '' if
 * the model has none. Throws if the template is not valid Jinja.
 */
export function createChatTemplate(source: string | undefined, tokens: { bos: string; eos: string }): ChatTemplate {
  const repaired = REPAIRS.reduce(
    (text, [pattern, replacement]) => text.replace(pattern, replacement),
    source ?? CHATML,
  );
  const template = new Template(repaired);
  const format = detectFormat(source);

  return (messages, tools, kwargs, begins = true) => {
    const render = (shown: unknown[] | undefined) =>
      template.render({
        ...kwargs,
        messages: toTemplateMessages(messages, format),
        ...(shown && { tools: shown }),
        add_generation_prompt: begins,
        bos_token: tokens.bos,
        eos_token: tokens.eos,
      });
    let refusal: unknown;
    // Templates accept different forms of tools. The first accepted variant tells the model the most.
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
