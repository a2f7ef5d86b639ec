import type { Pointer } from './pointer.ts';
import type { Batch, ContextParams, ModelParams, ThreadPoolParams } from './structs.ts';

/** A function of C: its prototype, and its type in TypeScript. */
export interface Declaration<F> {
  prototype: string;
  /** Never set: it carries the type. */
  type?: F;
}

/** Gives a prototype its type in TypeScript. */
export const declare = <F extends (...args: never[]) => unknown>(prototype: string): Declaration<F> => ({ prototype });

/**
 * The functions of llama.h and ggml-backend.h that Paddock calls. Pointers to what llama.cpp owns are `void *` here: C has no other way
 * to tell them apart either. An array that C reads or fills is a typed array.
 */
export const FUNCTIONS = {
  /** Loads the backends in a folder: the library for the CPU that fits this machine best, and the libraries for GPUs. */
  ggml_backend_load_all_from_path: declare<(folder: string) => void>(
    'void ggml_backend_load_all_from_path(const char *folder)',
  ),
  ggml_backend_dev_count: declare<() => number>('size_t ggml_backend_dev_count()'),
  ggml_backend_dev_get: declare<(index: number) => Pointer>('void *ggml_backend_dev_get(size_t index)'),
  ggml_backend_dev_description: declare<(device: Pointer) => string>(
    'const char *ggml_backend_dev_description(void *device)',
  ),
  ggml_backend_dev_type: declare<(device: Pointer) => number>('int ggml_backend_dev_type(void *device)'),
  /** Fills in the free and the total memory of a device, in bytes. */
  ggml_backend_dev_memory: declare<(device: Pointer, free: BigUint64Array, total: BigUint64Array) => void>(
    'void ggml_backend_dev_memory(void *device, size_t *free, size_t *total)',
  ),
  /** Returns the type of the machine's own memory, for `tensor_buft_overrides`. */
  ggml_backend_cpu_buffer_type: declare<() => Pointer>('void *ggml_backend_cpu_buffer_type()'),
  ggml_backend_reg_by_name: declare<(name: string) => Pointer | null>(
    'void *ggml_backend_reg_by_name(const char *name)',
  ),
  /** Returns the address of a function that a backend has besides the common ones; null if it has none of that name. */
  ggml_backend_reg_get_proc_address: declare<(registry: Pointer, name: string) => Pointer | null>(
    'void *ggml_backend_reg_get_proc_address(void *registry, const char *name)',
  ),
  ggml_threadpool_params_default: declare<(threads: number) => ThreadPoolParams>(
    'ggml_threadpool_params ggml_threadpool_params_default(int threads)',
  ),

  llama_version: declare<() => string>('const char *llama_version()'),
  /** Returns the instruction sets that the loaded library for the CPU uses. */
  llama_print_system_info: declare<() => string>('const char *llama_print_system_info()'),
  llama_backend_init: declare<() => void>('void llama_backend_init()'),
  /** Sets the function that gets the log; null writes it to standard error. */
  llama_log_set: declare<(callback: Pointer | null, data: Pointer | null) => void>(
    'void llama_log_set(void *callback, void *data)',
  ),

  llama_model_default_params: declare<() => ModelParams>('llama_model_params llama_model_default_params()'),
  /** Returns null if the model can't be loaded; the log has the reason. */
  llama_model_load_from_file: declare<(path: string, params: ModelParams) => Pointer | null>(
    'void *llama_model_load_from_file(const char *path, llama_model_params params)',
  ),
  llama_model_free: declare<(model: Pointer) => void>('void llama_model_free(void *model)'),
  llama_model_get_vocab: declare<(model: Pointer) => Pointer>('void *llama_model_get_vocab(void *model)'),
  llama_model_n_ctx_train: declare<(model: Pointer) => number>('int32_t llama_model_n_ctx_train(void *model)'),
  llama_model_n_embd_out: declare<(model: Pointer) => number>('int32_t llama_model_n_embd_out(void *model)'),
  /** Returns the numbers of an embedding that takes the place of a token in a batch. */
  llama_model_n_embd_inp: declare<(model: Pointer) => number>('int32_t llama_model_n_embd_inp(void *model)'),
  llama_model_n_layer: declare<(model: Pointer) => number>('int32_t llama_model_n_layer(void *model)'),
  /** Returns the tokens that a sliding window looks back on; 0 without one. */
  llama_model_n_swa: declare<(model: Pointer) => number>('int32_t llama_model_n_swa(void *model)'),
  llama_model_is_recurrent: declare<(model: Pointer) => boolean>('bool llama_model_is_recurrent(void *model)'),
  llama_model_is_hybrid: declare<(model: Pointer) => boolean>('bool llama_model_is_hybrid(void *model)'),
  llama_model_has_encoder: declare<(model: Pointer) => boolean>('bool llama_model_has_encoder(void *model)'),
  llama_model_has_decoder: declare<(model: Pointer) => boolean>('bool llama_model_has_decoder(void *model)'),
  /** Writes the value of a metadata key into a buffer. Returns the length of the value, or -1 if there is none. */
  llama_model_meta_val_str: declare<(model: Pointer, key: string, buffer: Uint8Array, size: number) => number>(
    'int32_t llama_model_meta_val_str(void *model, const char *key, uint8_t *buffer, size_t size)',
  ),

  /** Loads a LoRA adapter, which is freed with the model. Returns null if it does not fit the model; the log has the reason. */
  llama_adapter_lora_init: declare<(model: Pointer, path: string) => Pointer | null>(
    'void *llama_adapter_lora_init(void *model, const char *path)',
  ),
  /** Has the following passes of a context apply these adapters, and no others. */
  llama_set_adapters_lora: declare<
    (context: Pointer, adapters: BigUint64Array, count: number, scales: Float32Array) => number
  >('int32_t llama_set_adapters_lora(void *context, uint64_t *adapters, size_t count, float *scales)'),

  llama_vocab_n_tokens: declare<(vocab: Pointer) => number>('int32_t llama_vocab_n_tokens(void *vocab)'),
  /** Returns the text of a token as the vocabulary has it. */
  llama_vocab_get_text: declare<(vocab: Pointer, token: number) => string>(
    'const char *llama_vocab_get_text(void *vocab, int32_t token)',
  ),
  /** Returns the bits of `TOKEN_ATTRIBUTE`. */
  llama_vocab_get_attr: declare<(vocab: Pointer, token: number) => number>(
    'int llama_vocab_get_attr(void *vocab, int32_t token)',
  ),
  /** True for a token that ends a turn. */
  llama_vocab_is_eog: declare<(vocab: Pointer, token: number) => boolean>(
    'bool llama_vocab_is_eog(void *vocab, int32_t token)',
  ),
  llama_vocab_bos: declare<(vocab: Pointer) => number>('int32_t llama_vocab_bos(void *vocab)'),
  llama_vocab_eos: declare<(vocab: Pointer) => number>('int32_t llama_vocab_eos(void *vocab)'),
  llama_vocab_sep: declare<(vocab: Pointer) => number>('int32_t llama_vocab_sep(void *vocab)'),
  llama_vocab_fim_pre: declare<(vocab: Pointer) => number>('int32_t llama_vocab_fim_pre(void *vocab)'),
  llama_vocab_fim_suf: declare<(vocab: Pointer) => number>('int32_t llama_vocab_fim_suf(void *vocab)'),
  llama_vocab_fim_mid: declare<(vocab: Pointer) => number>('int32_t llama_vocab_fim_mid(void *vocab)'),
  llama_vocab_fim_rep: declare<(vocab: Pointer) => number>('int32_t llama_vocab_fim_rep(void *vocab)'),
  llama_vocab_fim_sep: declare<(vocab: Pointer) => number>('int32_t llama_vocab_fim_sep(void *vocab)'),
  llama_vocab_get_add_bos: declare<(vocab: Pointer) => boolean>('bool llama_vocab_get_add_bos(void *vocab)'),
  llama_vocab_get_add_eos: declare<(vocab: Pointer) => boolean>('bool llama_vocab_get_add_eos(void *vocab)'),
  llama_vocab_get_add_sep: declare<(vocab: Pointer) => boolean>('bool llama_vocab_get_add_sep(void *vocab)'),
  /** Writes the tokens of a text. Returns their number, or minus that number if there is no room for them. */
  llama_tokenize: declare<
    (
      vocab: Pointer,
      text: Uint8Array,
      bytes: number,
      tokens: Int32Array,
      room: number,
      addSpecial: boolean,
      parseSpecial: boolean,
    ) => number
  >(
    'int32_t llama_tokenize(void *vocab, const uint8_t *text, int32_t bytes, int32_t *tokens, int32_t room, bool add_special, bool parse_special)',
  ),
  /** Writes the text of tokens. Returns its bytes, or minus their number if there is no room for them. */
  llama_detokenize: declare<
    (
      vocab: Pointer,
      tokens: Int32Array,
      count: number,
      text: Uint8Array,
      room: number,
      removeSpecial: boolean,
      unparseSpecial: boolean,
    ) => number
  >(
    'int32_t llama_detokenize(void *vocab, const int32_t *tokens, int32_t count, uint8_t *text, int32_t room, bool remove_special, bool unparse_special)',
  ),
  /** Writes the text of a token. Returns its bytes, or minus their number if there is no room for them. */
  llama_token_to_piece: declare<
    (vocab: Pointer, token: number, text: Uint8Array, room: number, strips: number, special: boolean) => number
  >(
    'int32_t llama_token_to_piece(void *vocab, int32_t token, uint8_t *text, int32_t room, int32_t lstrip, bool special)',
  ),

  llama_context_default_params: declare<() => ContextParams>('llama_context_params llama_context_default_params()'),
  /** Returns null if the context can't be made; the log has the reason. */
  llama_init_from_model: declare<(model: Pointer, params: ContextParams) => Pointer | null>(
    'void *llama_init_from_model(void *model, llama_context_params params)',
  ),
  llama_free: declare<(context: Pointer) => void>('void llama_free(void *context)'),
  /** Returns the earlier states that a sequence keeps of its recurrent state. */
  llama_n_rs_seq: declare<(context: Pointer) => number>('uint32_t llama_n_rs_seq(void *context)'),
  /** Returns the tokens that one sequence can hold. */
  llama_n_ctx_seq: declare<(context: Pointer) => number>('uint32_t llama_n_ctx_seq(void *context)'),
  llama_get_memory: declare<(context: Pointer) => Pointer>('void *llama_get_memory(void *context)'),
  /** Sets if the tokens of the following passes attend only to those before them. */
  llama_set_causal_attn: declare<(context: Pointer, causal: boolean) => void>(
    'void llama_set_causal_attn(void *context, bool causal)',
  ),
  llama_set_n_threads: declare<(context: Pointer, threads: number, batchThreads: number) => void>(
    'void llama_set_n_threads(void *context, int32_t threads, int32_t batch_threads)',
  ),
  /** Has the context compute with these thread pools: for single tokens, and for batches. */
  llama_attach_threadpool: declare<(context: Pointer, pool: Pointer, batchPool: Pointer) => void>(
    'void llama_attach_threadpool(void *context, void *pool, void *batch_pool)',
  ),
  /** Runs one forward pass. Returns 0; 1 if there is no room in the cache; 2 after an abort; or a negative number for an error. */
  llama_decode: declare<(context: Pointer, batch: Batch) => number>(
    'int32_t llama_decode(void *context, llama_batch batch)',
  ),
  /** Runs the encoder of a model that has one. It keeps nothing in the cache. Returns 0, 2 after an abort, or a negative number for an error. */
  llama_encode: declare<(context: Pointer, batch: Batch) => number>(
    'int32_t llama_encode(void *context, llama_batch batch)',
  ),
  /** Waits until the latest pass is computed: on a GPU, `llama_decode` returns before. */
  llama_synchronize: declare<(context: Pointer) => void>('void llama_synchronize(void *context)'),
  /** Returns the logits after a token of the latest batch; null if none were asked for there. */
  llama_get_logits_ith: declare<(context: Pointer, index: number) => Pointer | null>(
    'void *llama_get_logits_ith(void *context, int32_t index)',
  ),
  llama_get_embeddings_seq: declare<(context: Pointer, sequence: number) => Pointer | null>(
    'void *llama_get_embeddings_seq(void *context, int32_t sequence)',
  ),
  /** Returns the embedding of a token of the latest batch; -1 is the last one. */
  llama_get_embeddings_ith: declare<(context: Pointer, index: number) => Pointer | null>(
    'void *llama_get_embeddings_ith(void *context, int32_t index)',
  ),
  /** Removes the tokens from `start` to before `end` of a sequence; -1 is the end. Returns false if the model can't remove a part. */
  llama_memory_seq_rm: declare<(memory: Pointer, sequence: number, start: number, end: number) => boolean>(
    'bool llama_memory_seq_rm(void *memory, int32_t sequence, int32_t start, int32_t end)',
  ),
  llama_memory_seq_cp: declare<(memory: Pointer, from: number, to: number, start: number, end: number) => void>(
    'void llama_memory_seq_cp(void *memory, int32_t from, int32_t to, int32_t start, int32_t end)',
  ),
  /** Returns the smallest position of a sequence, or -1 if it is empty. */
  llama_memory_seq_pos_min: declare<(memory: Pointer, sequence: number) => number>(
    'int32_t llama_memory_seq_pos_min(void *memory, int32_t sequence)',
  ),
  /** Returns the largest position of a sequence, or -1 if it is empty. */
  llama_memory_seq_pos_max: declare<(memory: Pointer, sequence: number) => number>(
    'int32_t llama_memory_seq_pos_max(void *memory, int32_t sequence)',
  ),
  /** Returns the bytes that the state of a sequence takes. */
  llama_state_seq_get_size_ext: declare<(context: Pointer, sequence: number, flags: number) => number>(
    'size_t llama_state_seq_get_size_ext(void *context, int32_t sequence, uint32_t flags)',
  ),
  /** Copies the state of a sequence into a buffer. Returns the bytes copied. */
  llama_state_seq_get_data_ext: declare<
    (context: Pointer, buffer: Uint8Array, size: number, sequence: number, flags: number) => number
  >('size_t llama_state_seq_get_data_ext(void *context, void *buffer, size_t size, int32_t sequence, uint32_t flags)'),
  /** Sets the state of a sequence. Returns the bytes read, or 0 if it failed. */
  llama_state_seq_set_data_ext: declare<
    (context: Pointer, buffer: Uint8Array, size: number, sequence: number, flags: number) => number
  >(
    'size_t llama_state_seq_set_data_ext(void *context, const void *buffer, size_t size, int32_t sequence, uint32_t flags)',
  ),
  /** Writes the state of a sequence to a file. Returns the bytes written, or 0 if it failed. */
  llama_state_seq_save_file: declare<
    (context: Pointer, path: string, sequence: number, tokens: Int32Array, count: number) => number
  >(
    'size_t llama_state_seq_save_file(void *context, const char *path, int32_t sequence, const int32_t *tokens, size_t count)',
  ),
  /** Reads the state of a sequence from a file. Returns the bytes read, or 0 if it failed. */
  llama_state_seq_load_file: declare<
    (
      context: Pointer,
      path: string,
      sequence: number,
      tokens: Int32Array,
      room: number,
      count: BigUint64Array,
    ) => number
  >(
    'size_t llama_state_seq_load_file(void *context, const char *path, int32_t sequence, int32_t *tokens, size_t room, size_t *count)',
  ),

  llama_sampler_chain_init: declare<(params: { no_perf: boolean }) => Pointer>(
    'void *llama_sampler_chain_init(llama_sampler_chain_params params)',
  ),
  /** Adds a sampler to a chain, which owns it from then on. */
  llama_sampler_chain_add: declare<(chain: Pointer, sampler: Pointer) => void>(
    'void llama_sampler_chain_add(void *chain, void *sampler)',
  ),
  llama_sampler_init_greedy: declare<() => Pointer>('void *llama_sampler_init_greedy()'),
  llama_sampler_init_dist: declare<(seed: number) => Pointer>('void *llama_sampler_init_dist(uint32_t seed)'),
  llama_sampler_init_top_k: declare<(count: number) => Pointer>('void *llama_sampler_init_top_k(int32_t count)'),
  llama_sampler_init_top_p: declare<(p: number, minKeep: number) => Pointer>(
    'void *llama_sampler_init_top_p(float p, size_t min_keep)',
  ),
  llama_sampler_init_min_p: declare<(p: number, minKeep: number) => Pointer>(
    'void *llama_sampler_init_min_p(float p, size_t min_keep)',
  ),
  llama_sampler_init_temp: declare<(temperature: number) => Pointer>(
    'void *llama_sampler_init_temp(float temperature)',
  ),
  llama_sampler_init_penalties: declare<
    (vocabularySize: number, lastN: number, repeat: number, frequency: number, presence: number) => Pointer
  >(
    'void *llama_sampler_init_penalties(int32_t vocabulary, int32_t last_n, float repeat, float frequency, float presence)',
  ),
  /** `biases` has pairs of a token and its bias as a 32-bit float. */
  llama_sampler_init_logit_bias: declare<(vocabularySize: number, count: number, biases: Int32Array) => Pointer>(
    'void *llama_sampler_init_logit_bias(int32_t vocabulary, int32_t count, const int32_t *biases)',
  ),
  /** Returns null for a grammar that llama.cpp does not accept. */
  llama_sampler_init_grammar: declare<(vocab: Pointer, grammar: string, root: string) => Pointer | null>(
    'void *llama_sampler_init_grammar(void *vocab, const char *grammar, const char *root)',
  ),
  /** Tells a sampler which token was chosen. */
  llama_sampler_accept: declare<(sampler: Pointer, token: number) => void>(
    'void llama_sampler_accept(void *sampler, int32_t token)',
  ),
  /** Applies a sampler to candidates, in place: the address of a `llama_token_data_array`. */
  llama_sampler_apply: declare<(sampler: Pointer, candidates: Pointer) => void>(
    'void llama_sampler_apply(void *sampler, void *candidates)',
  ),
  llama_sampler_free: declare<(sampler: Pointer) => void>('void llama_sampler_free(void *sampler)'),
} as const;
