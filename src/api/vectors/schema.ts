import * as v from 'valibot';
import { booleanField, integerField, list, nonEmptyText, oneOf, textField } from '../fields/fields.ts';
import { keepAliveField } from '../fields/keep-alive.ts';
import { textInputs } from '../fields/text-input.ts';

const document = v.union(
  [v.string(), v.looseObject({ text: textField }, 'must be an object with text')],
  'must be a string or an object with text',
);

/** The body of POST /v1/embeddings. */
export const embeddingRequestSchema = v.looseObject(
  {
    model: nonEmptyText,
    input: textInputs(2048),
    encoding_format: v.nullish(oneOf(['float', 'base64'])),
    dimensions: v.nullish(integerField(1)),
    user: v.nullish(textField),
    keep_alive: v.nullish(keepAliveField),
  },
  'must be a JSON object',
);

/** The body of POST /v1/rerank, in the form of Jina and Cohere. */
export const rerankRequestSchema = v.looseObject(
  {
    model: nonEmptyText,
    query: nonEmptyText,
    documents: v.pipe(
      list(document, 2048, 'documents', 'must be an array of documents'),
      v.nonEmpty('must have at least 1 document'),
    ),
    top_n: v.nullish(integerField(1)),
    return_documents: v.nullish(booleanField),
    keep_alive: v.nullish(keepAliveField),
  },
  'must be a JSON object',
);
