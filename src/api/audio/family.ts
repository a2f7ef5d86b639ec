import { defineFamily } from '../family.ts';
import { integer, object, ref, string } from '../openapi/json-schema.ts';
import { createTranscription, createTranslation } from './handler.ts';
import { transcriptionSchema } from './schema.ts';

/** The fields of the form that are files. */
const files = ['file'];

const common = {
  method: 'POST',
  form: { name: 'TranscriptionRequest', schema: transcriptionSchema, files },
  response: 'Transcription',
  event: 'TranscriptEvent',
  namedEvents: true,
} as const;

/** Endpoints that write down what a recording says. */
export const audio = defineFamily({
  routes: [
    {
      ...common,
      path: '/v1/audio/transcriptions',
      handler: createTranscription,
      id: 'createTranscription',
      summary: 'What a recording says, in its own language, by a model that hears.',
    },
    {
      ...common,
      path: '/v1/audio/translations',
      handler: createTranslation,
      id: 'createTranslation',
      summary: 'What a recording says, in English, by a model that hears.',
    },
  ],
  schemas: {
    TranscriptionUsage: object({
      type: { const: 'tokens' },
      input_tokens: integer,
      output_tokens: integer,
      total_tokens: integer,
    }),
    Transcription: object({ text: string, usage: ref('TranscriptionUsage') }),
    TranscriptEvent: {
      anyOf: [
        object({ type: { const: 'transcript.text.delta' }, delta: string }),
        object({ type: { const: 'transcript.text.done' }, text: string, usage: ref('TranscriptionUsage') }),
      ],
    },
  },
});
