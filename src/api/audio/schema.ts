import * as v from 'valibot';
import { invalidRequest, unsupportedParameter } from '../../contract/errors.ts';
import { between, booleanField, list, nonEmptyText, oneOf, textField } from '../fields/fields.ts';
import { FormFile } from '../fields/form.ts';
import { keepAliveField } from '../fields/keep-alive.ts';

/** The forms of a transcript. Those after the first two need times. */
const FORMATS = ['json', 'text', 'verbose_json', 'srt', 'vtt'] as const;

/** Longer texts would take the room of the recording in the context window. */
const LONGEST_PROMPT = 4000;

const texts = (what: string) => list(textField, 8, what, `must be a list of ${what}`);

/** The form of POST /v1/audio/transcriptions and /v1/audio/translations. */
export const transcriptionSchema = v.looseObject(
  {
    file: v.instance(FormFile, 'must be a file'),
    model: nonEmptyText,
    language: v.optional(
      v.pipe(textField, v.regex(/^([a-z]{2,3}(-[a-z0-9]{2,8})*)?$/i, 'must be the code of a language, such as en')),
    ),
    prompt: v.optional(
      v.pipe(textField, v.maxLength(LONGEST_PROMPT, `must have at most ${LONGEST_PROMPT} characters`)),
    ),
    response_format: v.optional(oneOf(FORMATS)),
    temperature: v.optional(between(0, 1)),
    stream: v.optional(booleanField),
    timestamp_granularities: v.optional(texts('granularities')),
    include: v.optional(texts('names')),
    chunking_strategy: v.optional(textField),
    keep_alive: v.optional(keepAliveField),
  },
  'must be a form',
);

/** The checked form of a transcription. */
export type TranscriptionForm = v.InferOutput<typeof transcriptionSchema>;

/** Fields of OpenAI that would change the transcript. */
export const REFUSED = ['known_speaker_names', 'known_speaker_references', 'top_p', 'seed'];

/** Throws a 400 `ApiError` for a value that asks for what no model here tells: times, probabilities, speakers. */
export function refuseUntold(form: TranscriptionForm): void {
  const { response_format: format = 'json', timestamp_granularities: times = [], include = [] } = form;
  if (format !== 'json' && format !== 'text') throw noTimes('response_format', `'${format}' needs`);
  if (times.length > 0) throw noTimes('timestamp_granularities', 'asks for');
  if (include.length > 0) throw unsupportedParameter('include', 'include is not supported.');
  const { chunking_strategy: strategy = 'auto' } = form;
  if (strategy !== 'auto')
    throw unsupportedParameter('chunking_strategy', 'chunking_strategy is not supported with a value other than auto.');
}

function noTimes(param: string, asks: string) {
  return invalidRequest(
    `${param} ${asks} times, and the models here tell none: they write down what they hear, as in a chat. ` +
      'The response formats json and text need no times.',
    param,
    'timestamps_not_supported',
  );
}
