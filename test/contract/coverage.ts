import { TARGETS } from './targets.ts';

/** The promise of the suite that tests each field of the API: the field, then the name of the test case. */
export const COVERAGE: Record<string, Record<string, string>> = {
  'Chat completion': {
    'id, object, created, model, system_fingerprint': 'answers the openai client with a whole chat completion',
    'choices[].index, message.role, message.content': 'answers the openai client with a whole chat completion',
    'choices[].message.tool_calls[].id, type, function.name, function.arguments':
      'calls one tool or several, each with arguments of its schema, where a call is required',
    'choices[].finish_reason: stop': 'ends with stop when the model ends its turn',
    'choices[].finish_reason: length': 'ends with length when the context window is full',
    'choices[].finish_reason: tool_calls':
      'calls a tool with arguments of its schema for every seed, streamed and not, where one is required',
    'choices[].finish_reason: content_filter':
      'ends with content_filter before a filtered text, in any case, and sends nothing of it',
    'choices[].logprobs': 'tells logprobs for each token, with top_logprobs alternatives, whole and streamed alike',
    'usage.prompt_tokens, completion_tokens, total_tokens': 'counts the tokens in usage and times them in timings',
    'usage.prompt_tokens_details.cached_tokens':
      'reuses the beginning of a prompt that it has seen, and says how much; cache_prompt false does not',
    'usage with images and audio': 'counts the tokens of media, and reads a repeated image or recording from the cache',
    timings: 'counts the tokens in usage and times them in timings',
  },
  'Chat completion chunk': {
    'id, object, created, model': 'keeps the chunk rules: one id, the role first, finish_reason only at the end',
    'choices[].index': 'streams n choices by index, each with its role first and its finish_reason last',
    'choices[].delta.role, delta.content':
      'keeps the chunk rules: one id, the role first, finish_reason only at the end',
    'choices[].delta.tool_calls': 'streams the same calls as it answers whole',
    'choices[].finish_reason': 'keeps the chunk rules: one id, the role first, finish_reason only at the end',
    'prompt_progress.cache, processed, total, time_ms': 'tells the final prompt_progress in the first chunk',
    'prompt_progress with images': 'tells the progress after each image',
    usage: 'sends no usage unless asked, and then one last chunk with no choices',
    'data: [DONE]': 'sends server-sent events: data lines, a blank line between, [DONE] at the end',
  },
  Message: {
    'role: system, user, assistant': 'renders the whole conversation: each role and each turn changes the reply',
    'role: developer': 'takes the developer role for system, and text parts for their text',
    'role: tool, tool_calls, tool_call_id': 'continues a conversation with tool calls and their results',
    'content, name': 'renders the whole conversation: each role and each turn changes the reply',
    'content[].type: text': 'takes the developer role for system, and text parts for their text',
    'content[].type: image_url': 'looks at images: another one changes the reply, the same one does not',
    'content[].type: input_audio': 'listens to recordings: another one, or another order, changes the reply',
    'content[] of several types': 'reads the parts in their order: a text and an image, and two images',
    'content[].image_url.url, a URL':
      "takes the openai package's own example of an image, and reads the same from a URL as from a data URI",
    'content[] of a type that the model does not take':
      'refuses images and audio for a model that takes none, and names the model',
    'content[].image_url.url, detail; content[].input_audio.data, format':
      'answers every field of a wrong type or out of range with a 400 that names the field and the limit',
  },
  Model: {
    'id, object, created, owned_by, name, version, format, engine, description, sources, metadata':
      'retrieves a model with every field of the Model object',
    'settings, parameters': 'retrieves a model with every field of the Model object',
    'context_length, meta, capabilities': 'retrieves a model with every field of the Model object',
    'engine, backend, settings.mmproj, settings.vision_model, capabilities of a model with a projector':
      'runs a model with a projector on WebAssembly whatever the others run on, and tells so in the Model object',
    'loaded, backend': 'tells in /health and in the Model object what a loaded model runs on',
    'GET /v1/models': 'lists the models of the folder, through the openai client',
    'GET /v1/models/{model_id}': 'takes an id with a slash plain and encoded',
    'DELETE /v1/models/{model_id}': 'removes no unknown model and not the one that comes with Paddock, and says why',
  },
  'POST /v1/chat/completions': {
    model: 'gives the openai client its own error classes',
    messages: 'renders the whole conversation: each role and each turn changes the reply',
    'temperature, top_p, top_k, min_p':
      'is greedy at temperature 0, and with top_k 1 or a tiny top_p at any temperature',
    max_tokens: 'counts the tokens in usage and times them in timings',
    max_completion_tokens: 'takes max_completion_tokens for max_tokens',
    stream: 'streams to the openai client what it would have answered whole, at temperature 0',
    'stream_options.include_usage': 'sends no usage unless asked, and then one last chunk with no choices',
    stop: 'ends before a stop sequence and never sends a part of it, wherever the tokens split it',
    'presence_penalty, frequency_penalty, repeat_penalty':
      'repeats less under repeat_penalty, presence_penalty and frequency_penalty',
    repeat_last_n: 'looks back no further than repeat_last_n',
    seed: 'gives equal replies for equal seeds, and others for other seeds',
    tools: 'shows the tools to the model, unless tool_choice is none',
    'tool_choice: none, auto': 'shows the tools to the model, unless tool_choice is none',
    'tool_choice: required':
      'calls a tool with arguments of its schema for every seed, streamed and not, where one is required',
    'tool_choice: named, parallel_tool_calls':
      'calls the very tool that is named, once where calls must not be parallel, for every seed',
    'dynatemp_range, dynatemp_exponent, typical_p, mirostat, mirostat_tau, mirostat_eta':
      'has mirostat, typical_p and dynamic temperature, seeded and each with an effect',
    logit_bias: 'forces a token with logit_bias 100, and bans one with -100',
    cache_prompt: 'reuses the beginning of a prompt that it has seen, and says how much; cache_prompt false does not',
    n: 'gives n choices, each as its own seed gives it alone, with one count of the prompt',
    'logprobs, top_logprobs': 'tells logprobs for each token, with top_logprobs alternatives, whole and streamed alike',
    'response_format: json_object':
      'begins a JSON object where json_object is asked for, and says length when it is cut',
    'response_format: json_schema': 'replies JSON of the schema for every seed, streamed and not',
    return_progress: 'tells the progress of each prefill step when asked with return_progress',
    context_overflow:
      'answers such a prompt with a 400 and both counts where context_overflow is error, streamed or not',
    'fields of others':
      'refuses fields that would change the reply and that it does not implement; takes those that can not',
  },
  'POST /v1/completions': {
    'model, prompt': 'completes a text for the openai client, whole and streamed alike',
    'prompt, several of them': 'completes several prompts, with choices numbered through',
    echo: 'echoes the prompt before the completion when asked',
    suffix: 'refuses a suffix for a model that can not infill',
    'the fields of sampling, stop, n, stream': 'completes a text for the openai client, whole and streamed alike',
  },
  'POST /v1/embeddings': {
    'model, input': 'makes a vector of length 1, and tells the tokens',
    'input, several of them':
      'makes equal vectors of equal texts, like ones of like texts and others of others, in the order of the texts',
    'input, a long text': 'reads texts up to the whole context, and refuses longer ones with both counts',
    encoding_format: 'gives the openai client the same vectors in base64 as in numbers',
    dimensions: 'cuts the vectors to the asked dimensions, of length 1 again, and refuses more than there are',
    'a model that makes none': 'refuses models that make no embeddings, and says 404 of unknown ones',
  },
  'POST /v1/rerank': {
    'model, query, documents': 'ranks every document by a score between 0 and 1, the highest first',
    'results[].relevance_score': 'scores a document by the query, and alike whatever stands beside it',
    'top_n, return_documents': 'gives the first top_n, with their documents on demand',
    'documents, a long text': 'refuses a document that is too long beside the query, with both counts',
    'a model that ranks nothing': 'refuses models that rank nothing, and a chat with one that does',
  },
  'Other endpoints': {
    'POST /v1/models/pull': 'refuses a pull that names no source of a model, and says which field is wrong',
    'GET /health': 'tells a stranger in /health only that it lives',
    'GET /ready': 'answers /ready without a key',
    'GET /openapi.json': 'describes the whole API in OpenAPI 3.1',
  },
  'Errors, keys and limits': {
    model_not_found: 'answers 404 model_not_found for an unknown id, and names it',
    invalid_api_key: 'answers a missing and a wrong key with 401 authentication_error invalid_api_key',
    'context overflow':
      'answers a prompt longer than the context window with an empty reply, finish_reason length and the true count',
    'ranges and types of all fields':
      'answers every field of a wrong type or out of range with a 400 that names the field and the limit',
    'malformed JSON, empty body, content type':
      'answers malformed JSON, an empty body and another content type each with their own error',
    'body size': 'refuses a body over the limit with 413, and serves on',
    'body depth, values and keys':
      'refuses a body that is nested too deep or has too many values or long keys, and serves on',
    'unknown path, wrong method': 'answers unknown paths with 404, other methods with 405 and Allow, as JSON',
    HEAD: 'answers HEAD as GET, without a body',
    'full queue': 'answers 503 with Retry-After when the queue is full, and serves on afterwards',
    cancellation: 'frees the slot of a stream that its client leaves after the first chunk',
    'broken images and recordings': 'refuses what is no image or recording, and names what it begins with',
    'cancellation while images are read':
      'frees the slot of a client that leaves while its images are read, and serves on',
    'x-api-key': 'takes the key in x-api-key as well',
    CORS: 'answers preflights of local pages without a key, and lets them read errors too',
    Origin: 'lets pages of other sites call nothing, and local ones neither pull nor remove models',
  },
};

/** Fields that the contract suite does not test: the field, then the file and the name of the test that does. */
export const ELSEWHERE: Record<string, { file: string; name: string }> = {
  Host: {
    file: 'test/server/heads.test.ts',
    name: 'that a web page may have given to this machine is refused, for the API and for files: %s',
  },
  'headers that are too long': {
    file: 'test/server/heads.test.ts',
    name: 'that is too long by %s is refused with our own error',
  },
  'x-request-id, taken or made': {
    file: 'test/core/api/api.test.ts',
    name: 'is in the header of every reply, whole, streamed or an error',
  },
  'POST /v1/tokenize: model, content': {
    file: 'test/core/api/tokens/handler.test.ts',
    name: 'lists the tokens of a text',
  },
  'POST /v1/tokenize: with_pieces': {
    file: 'test/core/api/tokens/handler.test.ts',
    name: 'lists their texts too when asked to',
  },
  'POST /v1/tokenize: add_special': {
    file: 'test/core/api/tokens/handler.test.ts',
    name: 'adds the special tokens that a text begins or ends with when asked to',
  },
  'POST /v1/detokenize: model, tokens': {
    file: 'test/core/api/tokens/handler.test.ts',
    name: 'gives the text of tokens',
  },
  'tokenize and detokenize, on the native engine': {
    file: 'test/engine/native/engine.test.ts',
    name: 'tells the tokens of a text and the text of tokens',
  },
  'prompts of token ids, on WebAssembly: a 400': {
    file: 'test/engine/wasm/engine.test.ts',
    name: 'is refused as tokens',
  },
  'logprobs of a part of a character, on WebAssembly: a 400': {
    file: 'test/engine/wasm/engine.test.ts',
    name: 'that the runtime can not tell, of tokens that are a part of a character, are refused, and it serves on',
  },
  'POST /v1/models/pull: stream true': {
    file: 'test/core/api/models/pull.test.ts',
    name: 'streams what happens, ending with the model and [DONE]',
  },
  'POST /v1/models/pull: stream false': {
    file: 'test/core/api/models/pull.test.ts',
    name: 'answers the model alone, with its sources, when it shall not stream',
  },
  'POST /v1/models/import: filename, size': {
    file: 'test/core/api/models/import.test.ts',
    name: 'streams what happens, ending with the model and [DONE]',
  },
  'POST /v1/models/import, in a browser': {
    file: 'test/web/models/import.test.ts',
    name: 'stores a file as a model that is called like it',
  },
  'POST /v1/models/import, on a server: a 501': {
    file: 'test/core/api/models/import.test.ts',
    name: 'is refused where no files are taken',
  },
};

const INTRODUCTION = `# The API and its tests

Each field of the API with the test that holds it. \`npm run docs\` makes this page from \`test/contract/coverage.ts\`; a test
fails when this page, the tables there, the routes and the suite differ. The API itself is described by
\`GET /openapi.json\`.

The suite in \`test/contract\` runs against each of these, so one column serves them all:`;

/** Writes docs/api.md: each field of the API, the test for it, and the promises that some targets can't keep. */
export function renderCoverage(): string {
  const spared = TARGETS.flatMap(({ name, impossible }) =>
    Object.entries(impossible).map(([promise, reason]) => [promise, name, reason]),
  );
  return [
    INTRODUCTION,
    table(
      ['Target', 'Run by'],
      TARGETS.map(({ name, file }) => [name, `\`${file}\``]),
    ),
    'A model with a projector, for images or audio, runs on WebAssembly on every target.',
    '## Not held everywhere',
    table(['Promise', 'Not on', 'Why'], spared),
    ...Object.entries(COVERAGE).flatMap(([section, fields]) => [
      `## ${section}`,
      table(
        ['Field', 'Test'],
        Object.entries(fields).map(([field, name]) => [`\`${field}\``, name]),
      ),
    ]),
    '## Held by tests of their own',
    'These differ from target to target, or need what the suite does not have.',
    table(
      ['What', 'Test', 'In'],
      Object.entries(ELSEWHERE).map(([what, { file, name }]) => [what, name, `\`${file}\``]),
    ),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
