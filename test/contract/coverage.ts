import { chatRequestSchema } from '../../src/api/chat/schema.ts';
import { FIELDS_WITHOUT_EFFECT, REFUSED_FIELDS } from '../../src/api/fields/support.ts';
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
    'choices[].schema_violations.path, keyword, message, tool_call':
      'says what a reply breaks of its schema where no grammar could enforce it, streamed and not',
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
    'choices[].schema_violations':
      'says what a reply breaks of its schema where no grammar could enforce it, streamed and not',
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
    'content[].type: refusal, thinking; reasoning_content':
      'takes a refusal and thoughts in the history, and lets thoughts change no prompt of a template without them',
    'tool_calls[].id, in the prompt': 'keeps the ids of calls out of the prompt, so that new ids leave the cache valid',
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
      'tells in the Model object what a model with a projector runs on and what it takes',
    'loaded, backend': 'tells in /health and in the Model object what a loaded model runs on',
    'type, display_name, created_at': 'lists and retrieves models for the SDK of Anthropic',
    'GET /v1/models': 'lists the models of the folder, through the openai client',
    'POST /v1/models/load': 'loads a model that nobody has asked yet, and answers when it is loaded',
    'POST /v1/models/unload': 'unloads a model that nobody uses, and loads it again for the next request',
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
    'tool_choice: required, streamed': 'streams the arguments of a required call as they are written',
    'tool_choice: required, with max_tokens':
      'says length of a required call that max_tokens cuts off, with the arguments up to there, streamed and not',
    'tool_choice: allowed_tools': 'calls none but the tools of allowed_tools, and shows the model all of them',
    'tool_choice: named, parallel_tool_calls':
      'calls the very tool that is named, once where calls must not be parallel, for every seed',
    'functions, function_call': 'calls a function in the older spelling, whole and streamed, and takes its result',
    'dynatemp_range, dynatemp_exponent, typical_p, mirostat, mirostat_tau, mirostat_eta':
      'has mirostat, typical_p and dynamic temperature, seeded and each with an effect',
    'dry_multiplier, dry_base, dry_allowed_length, dry_penalty_last_n, dry_sequence_breakers, xtc_probability, xtc_threshold, top_n_sigma':
      'has DRY, XTC and top-n-sigma, seeded and each with an effect, and none where they are off',
    'continue_final_message, add_generation_prompt':
      'goes on with the last message from its last character, and refuses what it can not go on with',
    logit_bias: 'forces a token with logit_bias 100, and bans one with -100',
    prompt_cache_key:
      'takes the name of a conversation, which does not change the reply, in prompt_cache_key or a session header',
    cache_prompt: 'reuses the beginning of a prompt that it has seen, and says how much; cache_prompt false does not',
    'lora, of a model without adapters':
      'refuses LoRA adapters that the model lacks, in every dialect, and takes an empty list of them',
    n: 'gives n choices, each as its own seed gives it alone, with one count of the prompt',
    'logprobs, top_logprobs': 'tells logprobs for each token, with top_logprobs alternatives, whole and streamed alike',
    'response_format: json_object':
      'begins a JSON object where json_object is asked for, and says length when it is cut',
    'response_format: json_schema': 'replies JSON of the schema for every seed, streamed and not',
    return_progress: 'tells the progress of each prefill step when asked with return_progress',
    context_overflow:
      'answers such a prompt with a 400 and both counts where context_overflow is error, streamed or not',
    keep_alive: 'takes how long a model is to stay in memory, and refuses what is no duration',
    'fields of others':
      'refuses fields that would change the reply and that it does not implement; takes those that can not',
    'repetition_penalty, n_predict, best_of':
      'takes the fields of other servers that have a meaning here, and the values that change nothing',
    'guided_json, structured_outputs': 'replies JSON of the schema in guided_json and in structured_outputs',
    'grammar, guided_grammar, guided_regex, guided_choice':
      'replies in the form of a grammar, a regular expression or a list, in chats and in completions',
    'grammar, with a fault': 'refuses a grammar that is wrong with its line, and a regular expression that is none',
    user: 'answers every field of a wrong type or out of range with a 400 that names the field and the limit',
  },
  Response: {
    'id, object, model, status, output, usage': 'answers the openai client with a whole response',
    'incomplete_details.reason: max_output_tokens': 'answers the openai client with a whole response',
    'output[].type: message, content[].type: output_text': 'answers the openai client with a whole response',
    'output[].type: function_call, id, call_id, name, arguments':
      'calls a tool for the openai client, takes its result, and goes on from the stored response',
    'usage.input_tokens_details.cached_tokens':
      'reads all of a conversation but its new part from the cache, whatever ids its items have',
    'the events of its stream': 'streams to the openai client the response that it answers whole, event by event',
    'DELETE /v1/responses/{response_id}':
      'gives back a stored response until it is deleted, and none that was not to be stored',
    'GET /v1/responses/{response_id}':
      'gives back a stored response until it is deleted, and none that was not to be stored',
  },
  'POST /v1/responses': {
    keep_alive: 'takes how long a model is to stay in memory, and refuses what is no duration',
    'model, input, max_output_tokens': 'answers the openai client with a whole response',
    'input[].type: message, function_call, function_call_output':
      'calls a tool for the openai client, takes its result, and goes on from the stored response',
    'input[].type: item_reference': 'runs the tool loop of the AI SDK, which refers to what it has been told by ids',
    'input[].type: item_reference, unknown': 'refuses references to responses and items that it does not have',
    'input[].content[].type: input_image': 'looks at the images of a response',
    'an input that does not fit':
      'refuses a response to a prompt that does not fit, with the words that clients look for',
    stream: 'streams to the openai client the response that it answers whole, event by event',
    'store, metadata': 'gives back a stored response until it is deleted, and none that was not to be stored',
    conversation: 'keeps a conversation for the openai client, and goes on in it, whole and streamed',
    previous_response_id: 'calls a tool for the openai client, takes its result, and goes on from the stored response',
    'tools, tool_choice, parallel_tool_calls':
      'calls a tool for the openai client, takes its result, and goes on from the stored response',
    'text.format': 'parses the structured output of a response for the openai client',
    'text.format, by the AI SDK': 'generates an object for the AI SDK by its default endpoint',
    'tools, by the AI SDK, streamed': 'streams the tool loop of the AI SDK',
    'tools[].type: mcp, of no server': 'runs no tools of MCP servers that nobody has configured, and says so',
    'instructions, reasoning.effort, tools of other types':
      'takes the tools and fields of agents that have no meaning here, and refuses what would change the reply',
    'include, prompt_cache_key, text.verbosity, reasoning.summary, client_metadata':
      'takes the tools and fields of agents that have no meaning here, and refuses what would change the reply',
    'background, prompt: a 400':
      'takes the tools and fields of agents that have no meaning here, and refuses what would change the reply',
  },
  'POST /v1/conversations': {
    'items, metadata': 'keeps a conversation for the openai client, and goes on in it, whole and streamed',
    'GET /v1/conversations/{conversation_id}/items: order, limit, after':
      'keeps a conversation for the openai client, and goes on in it, whole and streamed',
    'DELETE /v1/conversations/{conversation_id}/items/{item_id}':
      'keeps a conversation for the openai client, and goes on in it, whole and streamed',
    'DELETE /v1/conversations/{conversation_id}':
      'keeps a conversation for the openai client, and goes on in it, whole and streamed',
    'GET /v1/conversations/{conversation_id}':
      'keeps a conversation for the openai client, and goes on in it, whole and streamed',
  },
  'POST /v1/completions': {
    keep_alive: 'takes how long a model is to stay in memory, and refuses what is no duration',
    'model, prompt': 'completes a text for the openai client, whole and streamed alike',
    'prompt, several of them': 'completes several prompts, with choices numbered through',
    'prompt, token ids':
      'continues token ids as it continues the text that they stand for, several prompts too, and echoes that text',
    'prompt, unknown token ids':
      'refuses prompts of token ids that there are not, and those longer than the window with both counts',
    echo: 'echoes the prompt before the completion when asked',
    'echo, logprobs': 'tells the logprobs of an echoed prompt, which are those of a reply with the same words',
    suffix: 'refuses a suffix for a model that can not infill',
    'the fields of sampling, stop, n, stream': 'completes a text for the openai client, whole and streamed alike',
  },
  'POST /v1/infill': {
    'input_prefix, input_suffix, a model that can not infill': 'refuses to fill a gap by a model that can not infill',
  },
  'POST /v1/fim/completions': {
    'prompt, suffix, a model that can not infill': 'refuses to fill a gap by a model that can not infill',
  },
  'POST /v1/systemone': {
    keep_alive: 'takes how long a model is to stay in memory, and refuses what is no duration',
    'model, state, questions': 'answers a yes or no, a choice and a score with probabilities whose sum is 1',
    'questions{}.type: choice, criteria, in any order':
      'gives a choice the same probabilities in any order of its options',
    'questions{}, several of them': 'answers questions together as it answers each alone, in both forms',
    'state, the KV cache': 'reads the state of a decision from the cache for every question but the first',
    'state, questions{}.criteria: any text':
      'takes texts of any kind in a decision: control tokens, other scripts, names of JavaScript',
    'images, files, videos, stream: a 400': 'refuses a decision that it can not make, and names the field',
  },
  'POST /v1/decisions': {
    keep_alive: 'takes how long a model is to stay in memory, and refuses what is no duration',
    'model, input, questions': 'answers questions together as it answers each alone, in both forms',
    'usage.input_tokens_details.cached_tokens':
      'reads the state of a decision from the cache for every question but the first',
    'questions[].type, unknown': 'refuses a decision that it can not make, and names the field',
  },
  'POST /v1/messages': {
    keep_alive: 'takes how long a model is to stay in memory, and refuses what is no duration',
    'model, messages, max_tokens, system': 'answers the SDK of Anthropic with a whole message',
    stream: 'streams to the SDK of Anthropic what it would have answered whole',
    'stream, its events': 'streams the events of a message in their order, each named by its type, without [DONE]',
    'system, lines that only bill':
      'reads a prompt from the cache although its billing line differs in every request, and counts each token once',
    stop_sequences: 'ends a message before a stop sequence, and names it',
    'tools, tool_choice': 'calls the tool that is named, once where calls must not be parallel, whole and streamed',
    'tool_use and tool_result blocks':
      'runs the tools of the SDK of Anthropic in a loop, and reads their results, whole and streamed',
    'tool_result.is_error': 'reads results of tools, and whether they failed',
    'thinking blocks': 'takes back the thinking that it signed, whoever signed it',
    'image blocks': 'looks at the images of a message',
    'output_config.format': 'writes JSON of the schema for the SDK of Anthropic to parse',
    'stop_reason: end_turn, max_tokens': 'answers the SDK of Anthropic with a whole message',
    'stop_reason: refusal': 'ends a message with refusal before a filtered text',
    'errors and their types': 'gives the SDK of Anthropic its own error classes, types and words',
    'errors of keys, paths and bodies':
      'answers everything that is wrong with a request for a message as Anthropic does',
    'a full queue: 529': 'answers a message with 529 and Retry-After when the queue is full',
    'a prompt that is too long':
      'answers a prompt of a message that is too long with a 400 before the stream, in the words of Anthropic',
    cancellation: 'frees the slot of a message that its client leaves',
    'lora, of a model without adapters':
      'refuses LoRA adapters that the model lacks, in every dialect, and takes an empty list of them',
    thread: 'runs the tools of the SDK of Anthropic in a loop, and reads their results, whole and streamed',
    'the AI SDK': 'speaks with the AI SDK for Anthropic: text, whole and streamed alike',
    'the AI SDK, tools and objects': 'speaks with the AI SDK for Anthropic: tools in a loop, and an object of a schema',
  },
  'POST /v1/messages/count_tokens': {
    'model, messages, system, tools': 'counts the tokens of a message before it is sent',
  },
  'POST /v1/tokenize': {
    'model, content, with_pieces': 'tells the tokens of a text, and the text of each when asked to',
  },
  'POST /v1/detokenize': {
    'model, tokens': 'tells the text of tokens, and refuses those that there are not',
  },
  'POST /v1/embeddings': {
    keep_alive: 'takes how long a model is to stay in memory, and refuses what is no duration',
    'model, input': 'makes a vector of length 1, and tells the tokens',
    'input, several of them':
      'makes equal vectors of equal texts, like ones of like texts and others of others, in the order of the texts',
    'input, a long text': 'reads texts up to the whole context, and refuses longer ones with both counts',
    'input, tokens': 'makes the same vector of tokens as of their text',
    'input, images: a 400': 'refuses images in an embedding request, and names the field',
    encoding_format: 'gives the openai client the same vectors in base64 as in numbers',
    dimensions: 'cuts the vectors to the asked dimensions, of length 1 again, and refuses more than there are',
    'a model that makes none': 'refuses models that make no embeddings, and says 404 of unknown ones',
  },
  'POST /v1/rerank': {
    keep_alive: 'takes how long a model is to stay in memory, and refuses what is no duration',
    'model, query, documents': 'ranks every document by a score between 0 and 1, the highest first',
    'results[].relevance_score': 'scores a document by the query, and alike whatever stands beside it',
    'top_n, return_documents': 'gives the first top_n, with their documents on demand',
    'documents, a long text': 'refuses a document that is too long beside the query, with both counts',
    'a model that ranks nothing': 'refuses models that rank nothing, and a chat with one that does',
  },
  'POST /v1/audio/transcriptions': {
    'model, file': 'writes down a recording for the openai client: another one changes the text, the same one does not',
    'file, a long one': 'writes down a long recording in parts',
    'response_format: json, text':
      'writes down a recording as plain text, and with another language, words and temperature',
    'language, prompt, temperature':
      'writes down a recording as plain text, and with another language, words and temperature',
    'response_format: verbose_json, srt, vtt; timestamp_granularities: a 400':
      'refuses a transcript with times, by a model that does not hear, and of what is no recording',
    'model, that does not hear':
      'refuses a transcript with times, by a model that does not hear, and of what is no recording',
    stream: 'streams to the openai client the transcript that it writes whole',
    usage: 'writes down a recording for the openai client: another one changes the text, the same one does not',
  },
  'POST /v1/audio/translations': {
    'model, file': 'translates a recording into English for the openai client',
  },
  "Ollama's API": {
    'POST /api/chat: model, messages, stream':
      'answers the ollama client whole, and streams it the same, with the counts at the end',
    'created_at, message, done, done_reason, total_duration, load_duration, prompt_eval_count, prompt_eval_duration, eval_count, eval_duration':
      'answers the ollama client whole, and streams it the same, with the counts at the end',
    'prompt_eval_count, eval_count': 'writes for Ollama what it writes for OpenAI, with the same counts',
    'options: sampling, seed, stop, num_predict, and those that say how to load':
      'takes the options that Ollama users have: sampling, seed, stop, and those that only say how to load',
    'tools, messages[].tool_calls, tool_name':
      'calls a tool for the ollama client, streamed and not, and takes its result',
    format: 'replies JSON of the schema in format, and of any kind for json',
    'messages[].images': 'looks at the images of a message for the ollama client',
    'messages empty, keep_alive 0': 'unloads a model after a request with keep_alive 0, whoever asks how',
    'messages empty, keep_alive': 'loads a model for a request without messages, and lists it as running',
    'POST /api/generate: model, prompt, raw':
      'generates from one prompt as it chats, and with raw without the chat template',
    'POST /api/embed: model, input, truncate':
      'makes the vectors for the ollama client that it makes for the openai client',
    'POST /api/embeddings: model, prompt':
      'makes the vectors for the ollama client that it makes for the openai client',
    'GET /api/tags': 'lists and shows its models to the ollama client, with :latest and without',
    'POST /api/show': 'lists and shows its models to the ollama client, with :latest and without',
    'GET /api/version': 'lists and shows its models to the ollama client, with :latest and without',
    'GET /api/ps': 'loads a model for a request without messages, and lists it as running',
    'DELETE /api/delete': 'removes nothing for the ollama client that it must not, and pulls nothing without a place',
    'POST /api/pull: model, stream':
      'removes nothing for the ollama client that it must not, and pulls nothing without a place',
    'POST /api/push': 'tells the ollama client what is wrong before a stream begins, in its own form',
    'errors, context overflow': 'tells the ollama client what is wrong before a stream begins, in its own form',
    cancellation: 'frees the slot of an ollama client that leaves its stream',
  },
  'Other endpoints': {
    'GET /props': 'tells what the clients of llama-server ask of a model, with a key alone and without its path',
    'GET /slots': 'tells which slots are in use, and nothing of what they do',
    'POST /v1/apply-template': 'renders the prompt of a chat request as text',
    'GET /metrics': 'tells its metrics to those with a key, in the text format of Prometheus',
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
    'context overflow, far beyond the window':
      'counts a text that is longer than the window, without an end to it in sight',
    'ranges and types of all fields':
      'answers every field of a wrong type or out of range with a 400 that names the field and the limit',
    'malformed JSON, empty body, content type':
      'answers malformed JSON, an empty body and another content type each with their own error',
    'body size': 'refuses a body over the limit with 413, and serves on',
    'body depth, values and keys':
      'refuses a body that is nested too deep or has too many values or long keys, and serves on',
    'paths without /v1, or with a slash at the end':
      'answers alike with a slash at the end of the path, and without /v1',
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
  'thinking_budget and its synonyms, thinking.budget_tokens of POST /v1/messages, on each target': {
    file: 'test/contract/thinking.test.ts',
    name: 'ends with its closing mark after as many tokens as it may have: %j',
  },
  'reasoning_format, on each target': {
    file: 'test/contract/thinking.test.ts',
    name: 'is a part of the content if the request asks for that',
  },
  'POST /v1/audio/transcriptions: include, chunking_strategy, known_speaker_names, keep_alive': {
    file: 'test/api/audio/transcriptions.test.ts',
    name: 'that asks for %s is refused',
  },
  'lora, on the native engine': {
    file: 'test/server/adapters.test.ts',
    name: 'are applied by name and by index, in every dialect',
  },
  'lora, on WebAssembly: a 400': {
    file: 'test/engine/wasm/engine.test.ts',
    name: 'with LoRA adapters is refused, and it serves on',
  },
  'GET /v1/lora-adapters': {
    file: 'test/server/adapters.test.ts',
    name: 'are listed with their index and their default scale',
  },
  'POST /api/pull and DELETE /api/delete of a model': {
    file: 'test/clients/ollama.test.ts',
    name: 'pulls a model from a hub, uses it by the name it was pulled by, and deletes it, %s',
  },
  'POST /api/chat: think': {
    file: 'test/api/ollama/handler.test.ts',
    name: 'asks a model that can think with the words that its template knows',
  },
  'POST /api/chat and /api/generate: logprobs, top_logprobs': {
    file: 'test/api/ollama/handler.test.ts',
    name: 'tells logprobs with the pieces they belong to',
  },
  'POST /api/generate: system': {
    file: 'test/api/ollama/handler.test.ts',
    name: 'streams the reply to one message, the last line with the counts',
  },
  'POST /api/generate: suffix': {
    file: 'test/api/ollama/handler.test.ts',
    name: 'continues a text where raw is true, and fills a gap before a suffix',
  },
  'POST /api/embed: dimensions': {
    file: 'test/api/ollama/vectors.test.ts',
    name: 'shortens the vectors to dimensions',
  },
  'POST /api/embed: truncate true, on the native engine': {
    file: 'test/clients/ollama.test.ts',
    name: 'cuts a text that is too long for a vector, unless truncate is false',
  },
  'POST /api/copy: a 501': {
    file: 'test/api/ollama/models.test.ts',
    name: 'POST /api/%s says that it is not there',
  },
  'POST /api/create: a 501': {
    file: 'test/api/ollama/models.test.ts',
    name: 'POST /api/%s says that it is not there',
  },
  Host: {
    file: 'test/server/heads.test.ts',
    name: 'that a web page may have given to this machine is refused, for the API and for files: %s',
  },
  'headers that are too long': {
    file: 'test/server/heads.test.ts',
    name: 'that is too long by %s is refused with our own error',
  },
  'x-request-id, taken or made': {
    file: 'test/api/api.test.ts',
    name: 'is in the header of every reply, whole, streamed or an error',
  },
  'POST /v1/responses/input_tokens': {
    file: 'test/clients/openai-responses.test.ts',
    name: 'counts the tokens of an input as the response itself counts them',
  },
  'POST /v1/responses: every event, in order, with its fields': {
    file: 'test/api/responses/transcripts.test.ts',
    name: 'names its item by the id that the item begins and ends with',
  },
  'POST /v1/responses: top_logprobs and include': {
    file: 'test/api/responses/transcripts.test.ts',
    name: 'has the log probabilities where they are asked for, and else an empty list',
  },
  'POST /v1/responses: tools[].type: mcp, approvals, max_tool_calls': {
    file: 'test/api/responses/mcp.test.ts',
    name: 'has the list of tools, the calls with their results, and the answer',
  },
  'POST /v1/responses: tools[].type: mcp, with real servers': {
    file: 'test/clients/openai-mcp.test.ts',
    name: 'are called over stdio, and the model answers with the result',
  },
  'POST /v1/chat/completions: tools[].type: mcp, executed_tools': {
    file: 'test/clients/openai-mcp.test.ts',
    name: 'are called in a chat completion, which is the final answer',
  },
  'POST /v1/responses: other hints': {
    file: 'test/api/responses/handler.test.ts',
    name: 'takes the hints of agents and notes none as unknown',
  },
  'stored responses, of another key': {
    file: 'test/api/responses/handler.test.ts',
    name: 'is there for its own key alone',
  },
  'stored responses, in a service worker that is stopped': {
    file: 'test/web/stopped-worker.test.ts',
    name: 'has the responses that it has stored when it is started again, until they are deleted',
  },
  'POST /v1/messages: temperature, top_p, top_k': {
    file: 'test/api/messages/request.test.ts',
    name: 'has the limits and the sampling of the request',
  },
  'POST /v1/messages: thinking, output_config.effort': {
    file: 'test/api/messages/request.test.ts',
    name: '%j is the effort %s',
  },
  'POST /v1/messages: output_format': {
    file: 'test/api/messages/request.test.ts',
    name: 'may be asked for by the older field',
  },
  'POST /v1/messages: system messages among the others': {
    file: 'test/api/messages/history.test.ts',
    name: 'leaves a later system message in its place, as a user message: the prompt before it stays the same',
  },
  'POST /v1/messages: documents': {
    file: 'test/api/messages/history.test.ts',
    name: 'has the text of documents and search results',
  },
  'POST /v1/messages: fields without effect': {
    file: 'test/api/messages/handler.test.ts',
    name: 'takes the query and the headers of the beta',
  },
  'the events of a message that thinks': {
    file: 'test/api/messages/stream.test.ts',
    name: 'of thinking and text: the thinking is signed at its end',
  },
  'POST /v1/tokenize: add_special': {
    file: 'test/api/tokens/handler.test.ts',
    name: 'adds the special tokens that a text begins or ends with when asked to',
  },
  'tokens of every kind of vocabulary, on WebAssembly': {
    file: 'test/engine/tokenizer/tokenizer.test.ts',
    name: 'is cut as llama.cpp cuts it, with special tokens and without',
  },
  'echo with logprobs, on WebAssembly: a 400': {
    file: 'test/engine/wasm/engine.test.ts',
    name: 'of a prompt, which the runtime does not tell, are refused',
  },
  'logprobs of a part of a character, on WebAssembly: a 400': {
    file: 'test/engine/wasm/engine.test.ts',
    name: 'that the runtime can not tell, of tokens that are a part of a character, are refused, and it serves on',
  },
  'POST /v1/models/pull: stream true': {
    file: 'test/api/models/pull.test.ts',
    name: 'streams what happens, ending with the model and [DONE]',
  },
  'POST /v1/models/pull: stream false': {
    file: 'test/api/models/pull.test.ts',
    name: 'answers the model alone, with its sources, when it shall not stream',
  },
  'POST /v1/models/search: query, limit': {
    file: 'test/api/models/search.test.ts',
    name: 'answers what the hub has, 20 at most if the request does not say',
  },
  'POST /v1/models/search, against a hub': {
    file: 'test/catalogue/pull/node/finder.test.ts',
    name: 'finds the repositories with GGUF files, the most downloaded first',
  },
  'POST /v1/models/variants: model': {
    file: 'test/api/models/search.test.ts',
    name: 'answers what there is to pull',
  },
  'POST /v1/conversations/{conversation_id}: metadata': {
    file: 'test/api/conversations/handler.test.ts',
    name: 'is created, read, given other metadata and forgotten',
  },
  'POST /v1/conversations/{conversation_id}/items: items': {
    file: 'test/api/conversations/handler.test.ts',
    name: 'keeps items with ids, in pages, until one is removed',
  },
  'GET /v1/conversations/{conversation_id}/items/{item_id}': {
    file: 'test/api/conversations/handler.test.ts',
    name: 'keeps items with ids, in pages, until one is removed',
  },
  'POST /v1/files': {
    file: 'test/clients/openai-batches.test.ts',
    name: 'uploads, lists, reads and deletes files, each key its own',
  },
  'GET /v1/files': {
    file: 'test/clients/openai-batches.test.ts',
    name: 'uploads, lists, reads and deletes files, each key its own',
  },
  'GET /v1/files/{file_id}/content': {
    file: 'test/clients/openai-batches.test.ts',
    name: 'uploads, lists, reads and deletes files, each key its own',
  },
  'DELETE /v1/files/{file_id}': {
    file: 'test/clients/openai-batches.test.ts',
    name: 'uploads, lists, reads and deletes files, each key its own',
  },
  'POST /v1/files: file, purpose, expires_after': {
    file: 'test/api/batches/handler.test.ts',
    name: 'is refused if its form is wrong: %j',
  },
  'POST /v1/batches': {
    file: 'test/clients/openai-batches.test.ts',
    name: 'gets the results of a batch, and of the lines that fail in a file of their own',
  },
  'GET /v1/batches/{batch_id}': {
    file: 'test/clients/openai-batches.test.ts',
    name: 'gets the results of a batch, and of the lines that fail in a file of their own',
  },
  'POST /v1/batches: endpoint': {
    file: 'test/clients/openai-batches.test.ts',
    name: 'asks the lines of a batch at %s',
  },
  'POST /v1/batches: completion_window, metadata, output_expires_after': {
    file: 'test/api/batches/handler.test.ts',
    name: 'with %j is refused',
  },
  'GET /v1/batches': {
    file: 'test/api/batches/handler.test.ts',
    name: 'is made of a file, read, listed in pages and cancelled, and its key alone sees it',
  },
  'POST /v1/batches/{batch_id}/cancel': {
    file: 'test/clients/openai-batches.test.ts',
    name: 'cancels a batch, keeps the results so far, and is told which lines were not asked',
  },
  'POST /v1/batches after a kill of the server': {
    file: 'test/clients/openai-batches.test.ts',
    name: 'loses no answer of a batch to a kill of the server: the next start goes on, and asks no answered line again',
  },
  'POST /v1/files and /v1/batches in a browser: a 501': {
    file: 'test/api/batches/handler.test.ts',
    name: 'says at GET %s that it keeps no files and runs no batches',
  },
  'POST /v1/moderations: a 501': {
    file: 'test/api/moderations/handler.test.ts',
    name: 'a moderation is refused in words, with what does the same',
  },
  'profiles of a model.json': {
    file: 'test/catalogue/profiles.test.ts',
    name: 'are names of the same model, with defaults of their own that come before those of the model',
  },
  'aliases of a model.json, --alias': {
    file: 'test/catalogue/aliases.test.ts',
    name: 'answer for their model, and are listed with it',
  },
  'GET /v1/starters': {
    file: 'test/api/models/starters.test.ts',
    name: 'answers the models with what they take here, and which are pulled',
  },
  'GET /health: memory': {
    file: 'test/api/health/handler.test.ts',
    name: 'says how much memory there is for models, in bytes',
  },
  'POST /v1/models/import: filename, size': {
    file: 'test/api/models/import.test.ts',
    name: 'streams what happens, ending with the model and [DONE]',
  },
  'POST /v1/models/import, in a browser': {
    file: 'test/web/models/import.test.ts',
    name: 'stores a file as a model that is called like it',
  },
  'POST /v1/models/import, on a server: a 501': {
    file: 'test/api/models/import.test.ts',
    name: 'is refused where no files are taken',
  },
};

/** Fields of other servers and clients that have a meaning here, with what each is taken for. */
const TRANSLATED: [field: string, meaning: string][] = [
  ['max_tokens: -1, max_completion_tokens: -1', 'no limit, as `max_tokens: null`'],
  ['n_predict', '`max_tokens`, which comes first if both are there'],
  ['repetition_penalty', '`repeat_penalty`, which comes first; it looks back `repeat_last_n` tokens'],
  ['best_of', 'taken where it is `n`, else a 400'],
  ['stop: "", [] or [""]', 'no stop sequences; more than four are a 400'],
  ['guided_json, structured_outputs.json', 'the schema of `response_format`; a 400 together with it'],
  ['structured_outputs.json_object', '`response_format: {"type": "json_object"}`'],
  ['guided_grammar, structured_outputs.grammar', '`grammar`, which is GBNF as in llama-server'],
  ['structured_outputs.regex, structured_outputs.choice', '`guided_regex` and `guided_choice`'],
  ['reasoning.effort, think: a word', '`reasoning_effort`, which comes first'],
  [
    'enable_thinking, think: a boolean, reasoning.enabled, thinking.type',
    '`chat_template_kwargs.enable_thinking`, which comes first',
  ],
  [
    'thinking_budget, thinking_budget_tokens, reasoning_budget_tokens, reasoning_budget, thinking_token_budget, thinking.budget_tokens, reasoning.max_tokens',
    'the most tokens of a block of reasoning, which then gets its closing mark; -1 is no limit, and the first of them counts',
  ],
  ['reasoning.exclude: true', 'a 400'],
  [
    'reasoning_format: none, auto, deepseek',
    "with `none`, reasoning is a part of the content, between the marks of the model's family; else it is `reasoning_content`",
  ],
  [
    'continue_final_message: true',
    'the reply has the words after the last message, which is of the assistant; `add_generation_prompt` may be `false` then',
  ],
  ['tool_choice: "any"', '`required`'],
  [
    'functions, function_call, messages[].function_call, messages[].role: function',
    '`tools`, `tool_choice`, `tool_calls` and the role `tool`; the reply has its call in `function_call` then, and one call at most',
  ],
  ['tool_choice.allowed_tools', 'all tools are shown, and only these are called'],
  ['messages[].content[].image_url: a string', 'its address'],
  ['messages[].content[].type: refusal; messages[].refusal', 'text'],
  [
    'messages[].reasoning_content, messages[].reasoning, content[].type: thinking',
    'what the model thought before the message, for templates that read it',
  ],
  [
    'messages[].tool_calls[].id, messages[].name of a result',
    'replaced in the prompt by what the place of the call says',
  ],
];

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
    'A model with a projector, for images or audio, runs on WebAssembly where libmtmd is not built, and in the service worker.',
    '## Not held everywhere',
    table(['Promise', 'Not on', 'Why'], spared),
    ...Object.entries(COVERAGE).flatMap(([section, fields]) => [
      `## ${section}`,
      table(
        ['Field', 'Test'],
        Object.entries(fields).map(([field, name]) => [`\`${field}\``, name]),
      ),
    ]),
    '## Fields of other servers and clients',
    'Requests are written for other servers as well. What has a meaning here is taken for it:',
    table(
      ['Field', 'Taken for'],
      TRANSLATED.map(([field, meaning]) => [`\`${field}\``, meaning]),
    ),
    'What would change the reply and is not implemented is a 400 `unsupported_parameter` that names the field. Values that change nothing pass:',
    table(
      ['Field', 'Passes with'],
      notTakenInChats(REFUSED_FIELDS).map(([field, neutral]) => [
        `\`${field}\``,
        neutral.map((value) => `\`${value}\``).join(', ') || '-',
      ]),
    ),
    `These can not change the reply and are taken without effect: ${[...FIELDS_WITHOUT_EFFECT].map((field) => `\`${field}\``).join(', ')}. Fields that nobody defines are taken, too.`,
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

/** Chats take some of the fields that other endpoints refuse. */
function notTakenInChats(fields: Record<string, string[]>): [field: string, neutral: string[]][] {
  return Object.entries(fields).filter(([field]) => !Object.hasOwn(chatRequestSchema.entries, field));
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
