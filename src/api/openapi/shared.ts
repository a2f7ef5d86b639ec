import { type ApiSchema, integer, nullable, number, object, string } from './json-schema.ts';

/** Schemas that the responses of several families use, by name. */
export const SHARED_SCHEMAS: Record<string, ApiSchema> = {
  Error: object({
    error: object(
      { message: string, type: string, code: string, param: nullable(string) },
      { n_prompt_tokens: integer, n_ctx: integer },
    ),
  }),
  Usage: object({
    prompt_tokens: integer,
    completion_tokens: integer,
    total_tokens: integer,
    prompt_tokens_details: object({ cached_tokens: integer }),
  }),
  Timings: object(
    {
      cache_n: integer,
      prompt_n: integer,
      prompt_ms: number,
      prompt_per_second: number,
      predicted_n: integer,
      predicted_ms: number,
      predicted_per_second: number,
    },
    {
      draft_n: integer,
      draft_n_accepted: integer,
      cache: object(
        { slot_n: integer, copied_n: integer, ram_n: integer, disk_n: integer },
        { miss: object({ token: integer, why: string, before: string, after: string }) },
      ),
    },
  ),
  PromptProgress: object({ cache: integer, processed: integer, total: integer, time_ms: number }),
};
