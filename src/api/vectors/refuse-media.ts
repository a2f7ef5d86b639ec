import { invalidRequest } from '../../contract/errors.ts';
import { isObject } from '../../utils/json.ts';

/** The fields with which servers that embed images take them: Cohere's and Voyage's, vLLM's, llama-server's. */
const WHOLE = ['images', 'messages', 'inputs', 'multimodal_data'];
/** The fields of a part with an image or a recording: Jina's, OpenAI's parts of a message, llama-server's. */
const PARTS = ['image', 'image_url', 'input_image', 'input_audio', 'audio', 'video', 'multimodal_data', 'content'];

/** Throws a 400 `ApiError` that names the field, if the body of an embedding request has an image or a recording. */
export function refuseMedia(body: unknown): void {
  if (!isObject(body)) return;
  const field = WHOLE.find((name) => Object.hasOwn(body, name) && body[name] !== null);
  if (field !== undefined) throw noMedia(field);
  const { input } = body;
  const parts = Array.isArray(input) ? input : [input];
  const index = parts.findIndex((part) => isObject(part) && PARTS.some((name) => Object.hasOwn(part, name)));
  if (index !== -1) throw noMedia(Array.isArray(input) ? `input[${index}]` : 'input');
  const uri = parts.findIndex((part) => typeof part === 'string' && /^data:(image|audio|video)\//i.test(part));
  if (uri !== -1) throw noMedia(Array.isArray(input) ? `input[${uri}]` : 'input');
}

function noMedia(param: string) {
  return invalidRequest(
    `${param} has an image or a recording, and no model here embeds them: embeddings are made of texts and tokens.`,
    param,
    'unsupported_content',
  );
}
