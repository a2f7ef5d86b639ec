import { describe, expect, it } from 'vitest';
import { canonicalPath, isApiPath } from '../../../src/api/http/paths.ts';

describe('the path of a route', () => {
  it.each([
    ['/v1/models', '/v1/models'],
    ['/v1/models/', '/v1/models'],
    ['/models', '/v1/models'],
    ['/models/org/name/', '/v1/models/org/name'],
    ['/chat/completions', '/v1/chat/completions'],
    ['/api/chat', '/api/chat'],
    ['/api/chat/', '/api/chat'],
    ['/health/', '/health'],
    ['/ready', '/ready'],
    ['/openapi.json', '/openapi.json'],
    ['/', '/'],
    ['/v1x', '/v1/v1x'],
  ])('of %s is %s', (path, canonical) => {
    expect(canonicalPath(path)).toBe(canonical);
  });

  it('loses one slash alone', () => {
    expect(canonicalPath('/v1/models//')).toBe('/v1/models/');
  });
});

describe('a path of the API', () => {
  it.each(['/v1', '/v1/models', '/api/tags', '/health', '/ready', '/openapi.json'])('is %s', (path) => {
    expect(isApiPath(path)).toBe(true);
  });

  it.each(['/', '/v1x', '/apis', '/healthy', '/models', '/docs/v1/models'])('is not %s', (path) => {
    expect(isApiPath(path)).toBe(false);
  });
});
