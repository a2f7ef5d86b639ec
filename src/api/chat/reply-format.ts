import { invalidRequest, unsupportedParameter } from '../../contract/errors.ts';
import type { ReplyFormat } from '../../contract/generation-request.ts';
import type { ChatRequest } from './schema.ts';

/**
 * Returns the form that the reply must have, from OpenAI's field or from vLLM's older or newer field. Throws a 400
 * `ApiError` for more than one of these fields, and for forms other than JSON.
 */
export function toReplyFormat(request: ChatRequest): ReplyFormat {
  const asked = [fromResponseFormat(request), fromGuidedJson(request), fromStructuredOutputs(request)];
  const [format = { kind: 'text' }, another] = asked.flatMap((found) => found ?? []);
  if (!another) return format;
  const param = asked[2] ? 'structured_outputs' : 'guided_json';
  throw invalidRequest(`${param} can not be combined with another field for the form of the reply.`, param);
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

function fromGuidedJson({ guided_json: schema }: ChatRequest): ReplyFormat | null {
  return schema ? { kind: 'schema', schema, param: 'guided_json' } : null;
}

function fromStructuredOutputs({ structured_outputs: outputs }: ChatRequest): ReplyFormat | null {
  const { json, json_object, ...others } = outputs ?? {};
  for (const [name, value] of Object.entries(others)) {
    const param = `structured_outputs.${name}`;
    if (value !== null) throw unsupportedParameter(param, `${param} is not supported; json and json_object are.`);
  }
  if (json) return { kind: 'schema', schema: json, param: 'structured_outputs.json' };
  return json_object ? { kind: 'json' } : null;
}
