import type { LlamaModel } from './llama/model.ts';
import type { Token } from './llama/tokens/token.ts';

/**
 * Makes a function that joins a query and a document for a ranking model, as llama-server does, so that all engines
 * give the same scores.
 */
export function createRankingPrompt(model: LlamaModel): (query: string, document: string) => Token[] {
  const { marks, adds, tokenize } = model.tokenizer;
  const template = model.metadata('tokenizer.chat_template.rerank');
  if (template) {
    return (query, document) =>
      tokenize(
        template.replaceAll(/\{query\}|\{document\}/g, (place) => (place === '{query}' ? query : document)),
        true,
      );
  }
  const start = optional(adds.bos, marks.bos);
  const end = optional(adds.eos, marks.eos ?? marks.sep);
  const separator = optional(adds.sep, marks.sep);
  return (query, document) => [
    ...start,
    ...tokenize(query, false),
    ...end,
    ...separator,
    ...tokenize(document, false),
    ...end,
  ];
}

function optional(wanted: boolean, token: Token | null): Token[] {
  return wanted && token !== null ? [token] : [];
}
