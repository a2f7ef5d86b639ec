import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import type { ApiContext } from '../context.ts';
import { type ApiReply, jsonReply } from '../http/http.ts';
import { OPERATIONS, type Operation, REQUEST_SCHEMAS } from './operations.ts';
import { type ApiSchema, RESPONSE_SCHEMAS } from './responses.ts';

/** GET /openapi.json */
export function describeApi({ apiKeys }: ApiContext): ApiReply {
  return jsonReply(openApiDocument(apiKeys.length > 0));
}

/** The API as an OpenAPI 3.1 document, `keyed` when it asks for a key: https://spec.openapis.org/oas/v3.1.1.html */
export function openApiDocument(keyed: boolean) {
  const schemas: Record<string, ApiSchema> = { ...requestSchemas(), ...RESPONSE_SCHEMAS };
  return {
    openapi: '3.1.1',
    info: {
      title: 'Paddock',
      description: 'A local inference server with an OpenAI-style API. Fields that nobody defines are accepted.',
      version: '1',
    },
    servers: [{ url: '/' }],
    security: keyed ? [{ apiKey: [] }] : [],
    paths: paths(),
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
      schemas,
    },
  };
}

function paths(): Record<string, Record<string, object>> {
  const described: Record<string, Record<string, object>> = {};
  for (const operation of OPERATIONS) {
    described[operation.path] = { ...described[operation.path], [operation.method]: describe(operation) };
  }
  return described;
}

function describe({ path, id, summary, open, request, response, chunk }: Operation) {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  return {
    operationId: id,
    summary,
    ...(open && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(request && {
      requestBody: { required: true, content: { 'application/json': { schema: reference(request) } } },
    }),
    responses: {
      200: {
        description: chunk
          ? 'The whole reply or, with stream, server-sent events: each holds one chunk, the last is [DONE].'
          : 'The reply.',
        content: {
          'application/json': { schema: reference(response) },
          ...(chunk && { 'text/event-stream': { schema: reference(chunk) } }),
        },
      },
      default: {
        description: 'What is wrong with the request, or that the server failed.',
        content: { 'application/json': { schema: reference('Error') } },
      },
    },
  };
}

function reference(name: string): ApiSchema {
  return { $ref: `#/components/schemas/${name}` };
}

function requestSchemas(): Record<string, ApiSchema> {
  return Object.fromEntries(Object.entries(REQUEST_SCHEMAS).map(([name, schema]) => [name, toApiSchema(schema)]));
}

/**
 * A request's schema with its ranges. Of a pipe the last schema counts (`output`): what stands before it only guards
 * against arrays. Checks that JSON Schema can't say are left out, and the request is refused by the server alone.
 */
function toApiSchema(schema: v.GenericSchema): ApiSchema {
  const { $schema: _, ...converted } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode: 'output',
    errorMode: 'ignore',
  });
  return converted;
}
