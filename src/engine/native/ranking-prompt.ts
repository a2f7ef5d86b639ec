import type { LlamaModel, Token } from './llama/llama.ts';

/** llama.cpp adds a separator for these tokenizers even if the metadata does not ask for it. */
const SEPARATING_TOKENIZERS = ['jina-v1-en', 'jina-v2-code', 'roberta-bpe'];

/**
 * Makes a function that joins a query and a document for a ranking model. It does so as llama-server does, so that all
 * engines give the same scores. node-llama-cpp's own way adds separators even for models that were trained without
 * them.
 */
export function createRankingPrompt(model: LlamaModel): (query: string, document: string) => Token[] {
  const { tokens, fileInfo } = model;
  const { ggml, 'chat_template.rerank': template } = fileInfo.metadata.tokenizer;
  if (template) {
    return (query, document) =>
      model.tokenize(
        template.replaceAll(/\{query\}|\{document\}/g, (place) => (place === '{query}' ? query : document)),
        true,
      );
  }
  const separates =
    Reflect.get(ggml, 'add_sep_token') ?? (ggml.model === 'bert' || SEPARATING_TOKENIZERS.includes(ggml.pre ?? ''));
  const start = optional(tokens.shouldPrependBosToken, tokens.bos);
  const end = optional(tokens.shouldAppendEosToken, tokens.eos ?? tokens.sep);
  const separator = optional(separates, tokens.sep);
  return (query, document) => [
    ...start,
    ...model.tokenize(query),
    ...end,
    ...separator,
    ...model.tokenize(document),
    ...end,
  ];
}

function optional(wanted: boolean, token: Token | null): Token[] {
  return wanted && token !== null ? [token] : [];
}
