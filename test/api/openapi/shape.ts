const described = { type: 'object', required: ['description'], properties: { description: { type: 'string' } } };

const content = {
  type: 'object',
  minProperties: 1,
  // The content of a file has no schema: https://spec.openapis.org/oas/v3.1.1.html#considerations-for-file-uploads
  properties: { 'application/octet-stream': { type: 'object', maxProperties: 0 } },
  additionalProperties: {
    type: 'object',
    required: ['schema'],
    properties: { schema: { $ref: '#/$defs/reference' } },
    additionalProperties: false,
  },
};

const parameter = {
  type: 'object',
  required: ['name', 'in', 'required', 'schema'],
  properties: {
    name: { type: 'string' },
    in: { enum: ['path', 'query'] },
    required: { type: 'boolean' },
    schema: { type: 'object' },
  },
};

const operation = {
  type: 'object',
  required: ['operationId', 'summary', 'responses'],
  properties: {
    operationId: { type: 'string', pattern: '^[a-z][A-Za-z]*$' },
    summary: { type: 'string', minLength: 1 },
    security: { $ref: '#/$defs/security' },
    parameters: { type: 'array', items: parameter },
    requestBody: {
      type: 'object',
      required: ['required', 'content'],
      properties: { required: { const: true }, content },
    },
    responses: {
      type: 'object',
      required: ['200', 'default'],
      propertyNames: { pattern: '^([1-5]\\d\\d|default)$' },
      additionalProperties: { ...described, properties: { ...described.properties, content } },
    },
  },
  additionalProperties: false,
};

/**
 * The part of OpenAPI 3.1's own schema that the document uses, with one rule of this API added: no schema is inline.
 */
export const OPENAPI_SHAPE = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $defs: {
    reference: {
      type: 'object',
      required: ['$ref'],
      properties: { $ref: { type: 'string', pattern: '^#/components/schemas/\\w+$' } },
      additionalProperties: false,
    },
    security: {
      type: 'array',
      items: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
    },
  },
  type: 'object',
  required: ['openapi', 'info', 'paths', 'components'],
  properties: {
    openapi: { type: 'string', pattern: '^3\\.1\\.\\d+$' },
    info: {
      type: 'object',
      required: ['title', 'version'],
      properties: { title: { type: 'string' }, version: { type: 'string' }, description: { type: 'string' } },
      additionalProperties: false,
    },
    servers: {
      type: 'array',
      items: { type: 'object', required: ['url'], properties: { url: { type: 'string' } } },
    },
    security: { $ref: '#/$defs/security' },
    paths: {
      type: 'object',
      propertyNames: { pattern: '^/' },
      additionalProperties: {
        type: 'object',
        propertyNames: { enum: ['get', 'post', 'put', 'delete', 'patch', 'options', 'head'] },
        additionalProperties: operation,
      },
    },
    components: {
      type: 'object',
      required: ['schemas', 'securitySchemes'],
      properties: {
        schemas: {
          type: 'object',
          propertyNames: { pattern: '^[A-Za-z0-9._-]+$' },
          additionalProperties: { type: 'object' },
        },
        securitySchemes: {
          type: 'object',
          additionalProperties: {
            oneOf: [
              {
                type: 'object',
                required: ['type', 'scheme'],
                properties: { type: { const: 'http' }, scheme: { const: 'bearer' } },
              },
              {
                type: 'object',
                required: ['type', 'in', 'name'],
                properties: { type: { const: 'apiKey' }, in: { const: 'header' }, name: { type: 'string' } },
              },
            ],
          },
        },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
};
