import { describe, expect, it } from 'vitest';
import { chatRequestSchema } from '../../src/core/api/chat/schema.ts';
import { COVERAGE, renderCoverage } from './coverage.ts';
import { CONTRACT } from './suite.ts';

const cases = new Set(Object.values(CONTRACT).flatMap((section) => section.map(({ name }) => name)));

describe('the table of docs/api.md', () => {
  it('names tests that the suite has', () => {
    const named = Object.values(COVERAGE).flatMap((fields) => Object.values(fields));
    expect(named.filter((name) => !cases.has(name))).toEqual([]);
  });

  it('has every field of the chat request but those for templates', () => {
    const fields = Object.keys(COVERAGE['POST /v1/chat/completions'] ?? {}).join(' ');
    const forTemplates = ['chat_template_kwargs', 'reasoning_effort'];
    const missing = Object.keys(chatRequestSchema.entries).filter(
      (field) => !new RegExp(`\\b${field}\\b`).test(fields) && !forTemplates.includes(field),
    );
    expect(missing).toEqual([]);
  });

  it('is what docs/api.md shows; npm run docs writes it anew', async () => {
    await expect(renderCoverage()).toMatchFileSnapshot('../../docs/api.md');
  });
});
