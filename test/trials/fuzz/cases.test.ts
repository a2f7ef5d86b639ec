import { describe, expect, it } from 'vitest';
import { FAMILIES } from '../../../src/api/api.ts';
import { openApiDocument } from '../../../src/api/openapi/document.ts';
import { type Case, makeCase, type OpenApi } from './cases.ts';

const document = JSON.parse(JSON.stringify(openApiDocument(FAMILIES, false))) as OpenApi;
const models = { chat: 'swift', embedding: 'embed/mini', rerank: 'rerank/mini' };
const make = (index: number) => makeCase(document, models, 5, index);
const cases: Case[] = Array.from({ length: 3000 }, (_, index) => make(index));
const requests = cases.flatMap((made) => (made.kind === 'request' ? [made.sent] : []));

describe('the cases of the request fuzzer', () => {
  it('are the same for the same seed and number', () => {
    expect([7, 70, 700].map(make)).toEqual([cases[7], cases[70], cases[700]]);
    expect(makeCase(document, models, 6, 7)).not.toEqual(cases[7]);
  });

  it('come to every path of the OpenAPI document, most of them with a body that is refused', () => {
    const paths = Object.keys(document.paths).map((path) => path.replace(/\{.*/, ''));
    for (const path of paths)
      expect(
        requests.some((sent) => sent.path.startsWith(path)),
        path,
      ).toBe(true);
    const running = requests.filter(({ body }) =>
      Object.values(models).some((id) => String(body).includes(`"model":"${id}"`)),
    );
    expect(running.length).toBeGreaterThan(0.02 * cases.length);
    expect(running.length).toBeLessThan(0.35 * cases.length);
  });

  it('remove no model that there is, and pull from nowhere but this machine', () => {
    const removed = requests.filter(({ method }) => method === 'DELETE').map(({ path }) => decodeURIComponent(path));
    expect(removed.length).toBeGreaterThan(50);
    for (const id of [...Object.values(models), 'pico', 'tiny']) expect(removed).not.toContain(`/v1/models/${id}`);
    // What is no JSON is refused before anything is pulled.
    const pulls = requests
      .filter(({ path }) => path.startsWith('/v1/models/pull'))
      .map(({ body }) => String(body))
      .filter(isJson);
    for (const [, host] of pulls.flatMap((body) => [...body.matchAll(/https?:\/\/([^/"\\]+)/g)]))
      expect(host).toBe('127.0.0.1:9');
  });

  it('are broken as HTTP now and then', () => {
    expect(cases.length - requests.length).toBeGreaterThan(0.03 * cases.length);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
