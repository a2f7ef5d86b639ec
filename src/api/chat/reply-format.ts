import { invalidRequest } from '../../contract/errors.ts';
import type { ReplyFormat } from '../../contract/generation-request.ts';
import type { Tool } from '../../contract/tool.ts';
import { toReplyForm } from '../fields/reply-form.ts';
import type { ChatRequest } from './schema.ts';

/**
 * Returns the form that the reply must have, from OpenAI's field or from those of other servers. Throws a 400 `ApiError`
 * for more than one of these fields, and for a form without JSON together with tools that the model may call.
 */
export function toReplyFormat(request: ChatRequest, tools: Tool[]): ReplyFormat {
  const format = toReplyForm(request, fromResponseFormat(request));
  const mayCall = tools.length > 0 && request.tool_choice !== 'none';
  if (mayCall && 'param' in format && format.kind !== 'schema')
    throw invalidRequest(`${format.param} can not be combined with tools, unless tool_choice is none.`, format.param);
  return format;
}

function fromResponseFormat({ response_format: format }: ChatRequest): ReplyFormat | null {
  switch (format?.type) {
    case 'json_object':
      return { kind: 'json' };
    case 'json_schema':
      return { kind: 'schema', schema: format.json_schema.schema ?? {}, param: 'response_format.json_schema.schema' };
    default:
      return null;
  }
}
