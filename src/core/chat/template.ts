import { Template } from '@huggingface/jinja';
import { invalidRequest } from '../errors.ts';
import type { ChatMessage } from '../runner.ts';

/** Turns a conversation into the prompt text of a model. Throws a 400 `ApiError` when the template refuses it. */
export type ChatTemplate = (messages: ChatMessage[], kwargs: Record<string, unknown>) => string;

/** For a model without a template of its own: ChatML, the format that most are trained on. */
const CHATML = `{% for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`;

/** Compiles a model's Jinja template. The special tokens are given as text, '' where a model has none. */
export function createChatTemplate(source: string | undefined, tokens: { bos: string; eos: string }): ChatTemplate {
  const template = new Template(source ?? CHATML);
  return (messages, kwargs) => {
    try {
      return template.render({
        ...kwargs,
        messages: messages.map(toTemplateMessage),
        add_generation_prompt: true,
        bos_token: tokens.bos,
        eos_token: tokens.eos,
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw invalidRequest(`The model's chat template does not take this conversation: ${reason}`, 'messages');
    }
  };
}

/** Templates expect text even where there is none, and a tool call's arguments as an object rather than JSON. */
function toTemplateMessage(message: ChatMessage) {
  const { content, tool_calls: toolCalls } = message;
  return {
    ...message,
    content: content ?? '',
    ...(toolCalls && {
      tool_calls: toolCalls.map((call) => ({
        ...call,
        function: { ...call.function, arguments: parseArguments(call.function.arguments) },
      })),
    }),
  };
}

function parseArguments(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
