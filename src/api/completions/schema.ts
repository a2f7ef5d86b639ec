import * as v from 'valibot';
import { booleanField, integerField, nonEmptyText, textField } from '../fields/fields.ts';
import { keepAliveField } from '../fields/keep-alive.ts';
import { replyFormEntries } from '../fields/reply-form.ts';
import { samplingEntries } from '../fields/sampling.ts';
import { textInputs } from '../fields/text-input.ts';

/** The body of POST /v1/completions. An optional field that is null counts as absent. Other fields pass through. */
export const completionRequestSchema = v.looseObject(
  {
    model: nonEmptyText,
    prompt: textInputs(16),
    suffix: v.nullish(textField),
    echo: v.nullish(booleanField),
    logprobs: v.nullish(integerField(0, 5)),
    ...samplingEntries,
    ...replyFormEntries,
    keep_alive: v.nullish(keepAliveField),
  },
  'must be a JSON object',
);

/** A validated completion request. */
export type CompletionRequest = v.InferOutput<typeof completionRequestSchema>;
