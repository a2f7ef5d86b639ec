import * as v from 'valibot';
import { integerField, list, nonEmptyText, objectField, textField } from '../fields/fields.ts';
import { keepAliveField } from '../fields/keep-alive.ts';
import { samplingEntries, tokenLimit } from '../fields/sampling.ts';

/** Editors send more stop sequences than other clients: the marks of all families of models. */
const MOST_STOPS = 64;
const stopMessage = `must be a string or an array of at most ${MOST_STOPS} strings`;
const stop = v.nullish(v.union([textField, list(textField, MOST_STOPS, 'stop sequences', stopMessage)], stopMessage));

const one = v.nullish(v.literal(1, 'must be 1: a gap is filled once'));

const file = objectField(
  { text: textField, filename: v.nullish(textField) },
  'must be an object with a text and perhaps a filename',
);

const samplers = v.union([textField, v.array(textField)], 'must be an array of names');

/** The body of POST /infill, as the editors of llama.cpp send it. */
export const infillRequestSchema = v.looseObject(
  {
    ...samplingEntries,
    model: v.nullish(textField),
    input_prefix: textField,
    input_suffix: textField,
    input_extra: v.nullish(list(file, 1024, 'files', 'must be an array of files')),
    prompt: v.nullish(textField),
    n_predict: v.nullish(integerField(-1)),
    n_indent: v.nullish(integerField(0)),
    t_max_prompt_ms: v.nullish(integerField(-1)),
    t_max_predict_ms: v.nullish(integerField(-1)),
    samplers: v.nullish(samplers),
    response_fields: v.nullish(list(textField, 256, 'fields', 'must be an array of names')),
    stop,
    n: one,
    best_of: one,
    keep_alive: v.nullish(keepAliveField),
  },
  'must be a JSON object',
);

/** A validated request to fill a gap. */
export type InfillRequest = v.InferOutput<typeof infillRequestSchema>;

/** The body of POST /v1/fim/completions, in the form of Mistral. */
export const fimRequestSchema = v.looseObject(
  {
    ...samplingEntries,
    model: nonEmptyText,
    prompt: textField,
    suffix: v.nullish(textField),
    random_seed: v.nullish(integerField(Number.MIN_SAFE_INTEGER)),
    max_tokens: v.nullish(tokenLimit),
    stop,
    keep_alive: v.nullish(keepAliveField),
  },
  'must be a JSON object',
);
