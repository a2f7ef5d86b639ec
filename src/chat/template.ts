import { invalidRequest } from '../contract/errors.ts';
import type { ChatMessage } from '../contract/prompt.ts';
import { messageOf } from '../utils/error-message.ts';
import type { Tool } from './formats/format.ts';
import { detectFormat, toolVariants, toTemplateMessages } from './formats/index.ts';
import { compileJinja } from './jinja/template.ts';
import { reasoningSwitches } from './switches.ts';

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

/**
 * Compiles a model's Jinja template; ChatML if `source` is undefined. `tokens` has the special tokens as text, '' if
 * the model has none. Throws if the template is not valid Jinja.
 */
export function createChatTemplate(source: string | undefined, tokens: { bos: string; eos: string }): ChatTemplate {
  const renderJinja = compileJinja(source ?? CHATML);
  const format = detectFormat(source);

  return (messages, tools, kwargs, begins = true) => {
    const render = (list: ChatMessage[], variables: Record<string, unknown>, shown: unknown[] | undefined) =>
      renderJinja({
        ...variables,
        messages: toTemplateMessages(list, format),
        ...(shown && { tools: shown }),
        // Firefunction reads its tools and the day from here.
        functions: JSON.stringify(shown ?? [], null, 2),
        datetime: new Date().toISOString().slice(0, 10),
        add_generation_prompt: begins,
        bos_token: tokens.bos,
        eos_token: tokens.eos,
      });
    let refusal: unknown;
    // Templates accept different forms of tools, and some refuse an effort or a system message. The first accepted form
    // tells the model the most.
    const lists = [messages, ...withoutSystem(messages)];
    const variants = reasoningSwitches(kwargs);
    const forms = lists.flatMap((list) =>
      variants.flatMap((variables) => toolVariants(tools).map((shown) => ({ list, variables, shown }))),
    );
    for (const { list, variables, shown } of forms) {
      try {
        return render(list, variables, shown);
      } catch (error) {
        refusal ??= error;
      }
    }
    throw invalidRequest(
      `The model's chat template does not take this conversation: ${messageOf(refusal)}`,
      'messages',
    );
  };
}

/** Returns the conversation with its system message in the first user message; none if it has no such messages. */
function withoutSystem([first, second, ...rest]: ChatMessage[]): ChatMessage[][] {
  if (first?.role !== 'system' || second?.role !== 'user') return [];
  const content = [first.content, second.content].filter(Boolean).join('\n\n');
  const media = [...(first.media ?? []), ...(second.media ?? [])];
  return [[{ ...second, content, ...(media.length > 0 && { media }) }, ...rest]];
}
