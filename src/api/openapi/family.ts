import { defineFamily, type Family } from '../family.ts';
import { jsonReply } from '../http/http.ts';
import { openApiDocument } from './document.ts';
import { object, string } from './json-schema.ts';

/** The endpoint of the OpenAPI document. The document describes these families and this endpoint. */
export function openApiOf(others: Family[]): Family {
  const self: Family = defineFamily({
    routes: [
      {
        method: 'GET',
        path: '/openapi.json',
        handler: ({ apiKeys, metricsOpen }) =>
          jsonReply(openApiDocument([...others, self], apiKeys.required, metricsOpen)),
        open: true,
        id: 'describeApi',
        summary: 'This document.',
        response: 'OpenApi',
      },
    ],
    schemas: { OpenApi: object({ openapi: string, info: { type: 'object' }, paths: { type: 'object' } }) },
  });
  return self;
}
