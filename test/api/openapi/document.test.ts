import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { createApi, FAMILIES } from '../../../src/api/api.ts';
import { chatRequestSchema } from '../../../src/api/chat/schema.ts';
import { plainKeys } from '../../../src/api/keys/plain.ts';
import { openApiDocument } from '../../../src/api/openapi/document.ts';
import { ACCEPTED, REFUSED, withField } from '../chat/schema-cases.ts';
import { createContext, get, readJson } from '../fixtures.ts';
import { OPENAPI_SHAPE } from './shape.ts';

const ROUTES = FAMILIES.flatMap(({ routes }) => routes);
const document = openApiDocument(FAMILIES, true);
const ajv = new Ajv2020({ strict: false });
ajv.addSchema({ $id: 'document', components: document.components });

/** Compiles a check from one of the document's schemas. */
function schemaCheck(name: string): ValidateFunction {
  return ajv.compile({ $ref: `document#/components/schemas/${name}` });
}

interface Property {
  anyOf?: Property[];
  [keyword: string]: unknown;
}

/** Returns a field of a request's schema, without the null that it also accepts. */
function field(request: string, name: string): Property {
  const { properties } = document.components.schemas[request] as { properties: Record<string, Property> };
  const property = properties[name] ?? {};
  return property.anyOf?.at(-1)?.type === 'null' ? (property.anyOf[0] ?? {}) : property;
}

/** Returns the fields of the schema by which the server checks a request. */
function entriesOf(name: string): object {
  const schema = ROUTES.find(({ body }) => body?.name === name)?.body?.schema;
  return schema && 'entries' in schema ? (schema.entries as object) : {};
}

describe('the OpenAPI document', () => {
  it('is served without a key, as JSON', async () => {
    const reply = await createApi(createContext({ apiKeys: plainKeys(['sk-one']) }).context)(get('/openapi.json'));
    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    expect(await readJson(reply)).toEqual(JSON.parse(JSON.stringify(document)));
  });

  it('has the shape of OpenAPI 3.1', () => {
    const validate = ajv.compile(OPENAPI_SHAPE);
    validate(document);
    expect(validate.errors).toBeNull();
  });

  it('asks for a key where the server does', () => {
    expect(document.security).toEqual([{ apiKey: [] }, { apiKeyHeader: [] }]);
    expect(openApiDocument(FAMILIES, false).security).toEqual([]);
  });

  it('asks for a key at the metrics unless they are open', () => {
    const securityOf = (metricsOpen: boolean) => openApiDocument(FAMILIES, true, metricsOpen).paths['/metrics']?.get;
    expect(securityOf(false)).not.toHaveProperty('security');
    expect(securityOf(true)).toHaveProperty('security', []);
  });

  it('describes every route', () => {
    for (const { method, path, open } of ROUTES) {
      const described = document.paths[path]?.[method.toLowerCase()];
      expect(described, `${method} ${path}`).toBeDefined();
      expect(described && 'security' in described).toBe(open === true);
    }
    const operations = Object.values(document.paths).flatMap((methods) => Object.keys(methods));
    expect(operations).toHaveLength(ROUTES.length);
  });

  it('has one operation for each id', () => {
    expect(new Set(ROUTES.map(({ id }) => id)).size).toBe(ROUTES.length);
  });

  it('describes the upload of a file, and the fields of its query', () => {
    expect(document.paths['/v1/models/import']?.post).toMatchObject({
      parameters: [
        { name: 'filename', in: 'query', required: true },
        { name: 'size', in: 'query', required: false },
      ],
      requestBody: { content: { 'application/octet-stream': {} } },
    });
  });

  it('names the parameters of paths', () => {
    expect(document.paths['/v1/models/{model_id}']?.get).toMatchObject({
      parameters: [{ name: 'model_id', in: 'path', required: true }],
    });
  });

  it('has every schema that it refers to, each a valid one', { tags: 'slow' }, () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g);
    for (const [, name = ''] of references) expect(document.components.schemas).toHaveProperty(name);
    for (const name of Object.keys(document.components.schemas)) expect(() => schemaCheck(name)).not.toThrow();
  });
});

describe('the schema of a chat request', () => {
  const schema = document.components.schemas.ChatCompletionRequest as { properties: object; required: string[] };
  const check = schemaCheck('ChatCompletionRequest');

  it('has every field', () => {
    expect(Object.keys(schema.properties)).toEqual(Object.keys(chatRequestSchema.entries));
    expect(schema.required).toEqual(['model', 'messages']);
  });

  it.each<[string, Property]>([
    ['temperature', { type: 'number', minimum: 0, maximum: 2 }],
    ['presence_penalty', { type: 'number', minimum: -2, maximum: 2 }],
    ['top_p', { type: 'number', minimum: 0, maximum: 1 }],
    ['max_tokens', { anyOf: [{ const: -1 }, { type: 'integer', minimum: 1 }] }],
    ['top_logprobs', { type: 'integer', minimum: 0, maximum: 20 }],
    ['mirostat', { enum: [0, 1, 2] }],
    ['context_overflow', { type: 'string', enum: ['length', 'error'] }],
    ['stream', { type: 'boolean' }],
    ['stop', { anyOf: [{ type: 'string' }, { type: 'array', maxItems: 4 }] }],
    ['logit_bias', { type: 'object', additionalProperties: { minimum: -100, maximum: 100 } }],
    ['messages', { type: 'array', minItems: 1 }],
  ])('describes the values of %s', (name, expected) => {
    expect(field('ChatCompletionRequest', name)).toMatchObject(expected);
  });

  it.each(ACCEPTED.map(([name, value]) => [name, JSON.stringify(value), value] as const))(
    'allows what the server accepts: %s %s',
    (name, _, value) => {
      check(withField(name, value));
      expect(check.errors ?? []).toEqual([]);
    },
  );

  it.each(REFUSED.map(([name, value]) => [name, JSON.stringify(value) ?? 'nothing', value] as const))(
    'forbids what the server refuses: %s %s',
    (name, _, value) => {
      expect(check(withField(name, value))).toBe(false);
    },
  );
});

describe('the schemas of other requests', () => {
  it.each<[string, string[]]>([
    ['CompletionRequest', ['model', 'prompt']],
    ['MessagesRequest', ['model', 'messages', 'max_tokens']],
    ['MessageTokensRequest', ['model', 'messages']],
    ['EmbeddingRequest', ['model', 'input']],
    ['RerankRequest', ['model', 'query', 'documents']],
    ['TokenizeRequest', ['model', 'content']],
    ['DetokenizeRequest', ['model', 'tokens']],
  ])('have every field of %s, and require %j', (name, required) => {
    expect(document.components.schemas[name]).toMatchObject({ required });
    expect(Object.keys(document.components.schemas[name]?.properties as object)).toEqual(Object.keys(entriesOf(name)));
  });

  it.each<[string, string, Property]>([
    ['CompletionRequest', 'logprobs', { minimum: 0, maximum: 5 }],
    ['CompletionRequest', 'temperature', { minimum: 0, maximum: 2 }],
    ['MessagesRequest', 'temperature', { minimum: 0, maximum: 1 }],
    ['EmbeddingRequest', 'encoding_format', { enum: ['float', 'base64'] }],
    ['EmbeddingRequest', 'dimensions', { type: 'integer', minimum: 1 }],
    ['RerankRequest', 'documents', { minItems: 1, maxItems: 2048 }],
    ['DetokenizeRequest', 'tokens', { items: { minimum: 0, maximum: 2 ** 31 - 1 } }],
  ])('describe the values of a field: %s %s', (request, name, expected) => {
    expect(field(request, name)).toMatchObject(expected);
  });

  it.each([
    ['CompletionRequest', 'prompt', 16],
    ['EmbeddingRequest', 'input', 2048],
  ] as const)('describe how many texts there may be: %s %s', (request, name, maxItems) => {
    const tokens = { type: 'array', minItems: 1, items: { type: 'integer' } };
    expect(field(request, name).anyOf).toMatchObject([
      { type: 'string', minLength: 1 },
      { type: 'array', minItems: 1, maxItems, items: { type: 'string' } },
      tokens,
      { type: 'array', minItems: 1, maxItems, items: tokens },
    ]);
  });
});
