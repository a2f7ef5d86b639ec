import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { type Family, isOpen, type Route } from '../family.ts';
import { openAiErrors } from '../http/dialect.ts';
import { type ApiSchema, ref } from './json-schema.ts';
import { SHARED_SCHEMAS } from './shared.ts';

/**
 * Describes the API as an OpenAPI 3.1 document. `keyed` is true if the API needs a key, `metricsOpen` if the metrics
 * need no key. See https://spec.openapis.org/oas/v3.1.1.html
 */
export function openApiDocument(families: Family[], keyed: boolean, metricsOpen = false) {
  const routes = families.flatMap((family) => family.routes);
  const schemas: Record<string, ApiSchema> = Object.assign(
    requestSchemas(routes),
    SHARED_SCHEMAS,
    ...families.map((family) => family.schemas),
  );
  return {
    openapi: '3.1.1',
    info: {
      title: 'Paddock',
      description: 'A local inference server with an OpenAI-style API. Fields that nobody defines are accepted.',
      version: '1',
    },
    servers: [{ url: '/' }],
    security: keyed ? [{ apiKey: [] }, { apiKeyHeader: [] }] : [],
    paths: pathsOf(families, metricsOpen),
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer' },
        apiKeyHeader: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      },
      schemas,
    },
  };
}

function pathsOf(families: Family[], metricsOpen: boolean): Record<string, Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {};
  for (const { routes, dialect = openAiErrors } of families)
    for (const route of routes) {
      paths[route.path] = {
        ...paths[route.path],
        [route.method.toLowerCase()]: describeRoute(route, dialect.schema, isOpen(route, { metricsOpen })),
      };
    }
  return paths;
}

function describeRoute(route: Route, errorSchema: string, open: boolean) {
  const parameters = parametersOf(route);
  const body = bodyOf(route);
  return {
    operationId: route.id,
    summary: route.summary,
    ...(open && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: body } }),
    responses: {
      200: describeReply(route),
      default: {
        description: 'What is wrong with the request, or that the server failed.',
        content: { 'application/json': { schema: ref(errorSchema) } },
      },
    },
  };
}

function parametersOf({ path, upload = {} }: Route): object[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  return [...inPath, ...Object.entries(upload).map(([name, field]) => ({ name, in: 'query', ...field }))];
}

function bodyOf({ body, form, upload }: Route): object | null {
  if (body) return { 'application/json': { schema: ref(body.name) } };
  if (form) return { 'multipart/form-data': { schema: ref(form.name) } };
  return upload ? { 'application/octet-stream': {} } : null;
}

function describeReply({ response, event, ndjson, namedEvents, text }: Route) {
  if (text && response) return { description: 'The reply.', content: { 'text/plain': { schema: ref(response) } } };
  const whole = response === undefined ? {} : { 'application/json': { schema: ref(response) } };
  if (event === undefined) return { description: 'The reply.', content: whole };
  if (ndjson) {
    const lines = 'Lines of JSON, unless stream is false: then the whole reply.';
    return { description: lines, content: { ...whole, 'application/x-ndjson': { schema: ref(event) } } };
  }
  const events = `server-sent events: each ${namedEvents ? 'is named by its type.' : 'holds one chunk, the last is [DONE].'}`;
  return {
    description: response === undefined ? `A stream of ${events}` : `The whole reply or, with stream, ${events}`,
    content: { ...whole, 'text/event-stream': { schema: ref(event) } },
  };
}

function requestSchemas(routes: Route[]): Record<string, ApiSchema> {
  return Object.fromEntries(
    routes.flatMap(({ body, form }) => [
      ...(body ? [[body.name, toApiSchema(body.schema)]] : []),
      ...(form ? [[form.name, withFiles(toApiSchema(form.schema), form.files)]] : []),
    ]),
  );
}

/** Describes these properties of a form as files, which JSON Schema does not know. */
function withFiles(schema: ApiSchema, files: string[]): ApiSchema {
  const binary = files.map((file) => [file, { type: 'string', contentMediaType: 'application/octet-stream' }]);
  return { ...schema, properties: Object.assign({}, schema.properties, Object.fromEntries(binary)) };
}

/**
 * Converts the schema of a request body, ranges included. The last schema of a pipe counts (`output`), since those
 * before it only exclude arrays. JSON Schema can't express some checks; they are left out, and only the server makes
 * them.
 */
function toApiSchema(schema: v.GenericSchema): ApiSchema {
  const { $schema: _, ...converted } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode: 'output',
    errorMode: 'ignore',
  });
  return converted;
}
