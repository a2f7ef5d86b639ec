import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FAMILIES } from '../../src/api/api.ts';
import { transcriptionSchema } from '../../src/api/audio/schema.ts';
import { chatRequestSchema } from '../../src/api/chat/schema.ts';
import { samplingEntries } from '../../src/api/fields/sampling.ts';
import { MESSAGES_FIELDS_WITHOUT_EFFECT, messagesRequestSchema } from '../../src/api/messages/schema.ts';
import { responseRequestSchema } from '../../src/api/responses/schema.ts';
import { embeddingRequestSchema, rerankRequestSchema } from '../../src/api/vectors/schema.ts';
import { COVERAGE, ELSEWHERE, renderCoverage } from './coverage.ts';
import { CONTRACT } from './suite.ts';
import { BROWSER, contractOf, TARGETS, WASM } from './targets.ts';

/** Fields of messages that tests of their own hold. */
const SAMPLED_OR_THOUGHT = ['temperature', 'top_p', 'top_k', 'thinking', 'output_format'];
/** These fields of a response are tested in test/api/responses. */
const RESPONSE_HINTS = [
  'context_management',
  'max_tool_calls',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
  'top_logprobs',
  'truncation',
  'user',
];

const cases = new Set(Object.values(CONTRACT).flatMap((section) => section.map(({ name }) => name)));

/** The names of the limit of reasoning, which test/contract/thinking.test.ts covers. */
const REASONING = [
  'chat_template_kwargs',
  'reasoning_effort',
  'reasoning_format',
  'enable_thinking',
  'think',
  'reasoning',
  'thinking',
];
const BUDGETS = Object.keys(chatRequestSchema.entries).filter((field) =>
  /^(?:thinking|reasoning).*_budget/.test(field),
);

describe('the table of docs/api.md', () => {
  it('names tests that the suite has', () => {
    const named = Object.values(COVERAGE).flatMap((fields) => Object.values(fields));
    expect(named.filter((name) => !cases.has(name))).toEqual([]);
  });

  it('names tests that there are elsewhere', () => {
    const lost = Object.values(ELSEWHERE).filter(({ file, name }) => !readFileSync(file, 'utf8').includes(`'${name}'`));
    expect(lost).toEqual([]);
  });

  it('has every route of the API', () => {
    const said = [...Object.entries(COVERAGE).flatMap(([section, fields]) => [section, ...Object.keys(fields)])];
    const routes = FAMILIES.flatMap(({ routes }) => routes).map(({ method, path }) => `${method} ${path}`);
    const everywhere = [...said, ...Object.keys(ELSEWHERE)];
    expect(routes.filter((route) => !everywhere.some((place) => place.startsWith(route)))).toEqual([]);
  });

  it.each<[route: string, schema: { entries: object }, others: string[]]>([
    // The tests of templates cover these fields.
    ['POST /v1/chat/completions', chatRequestSchema, [...REASONING, ...BUDGETS]],
    ['POST /v1/responses', responseRequestSchema, [...Object.keys(samplingEntries), ...RESPONSE_HINTS]],
    ['POST /v1/messages', messagesRequestSchema, [...SAMPLED_OR_THOUGHT, ...MESSAGES_FIELDS_WITHOUT_EFFECT]],
    ['POST /v1/embeddings', embeddingRequestSchema, ['user']],
    ['POST /v1/rerank', rerankRequestSchema, []],
    ['POST /v1/audio/transcriptions', transcriptionSchema, ['include', 'chunking_strategy', 'keep_alive']],
  ])('has every field of %s', (route, schema, others) => {
    const fields = Object.keys(COVERAGE[route] ?? {}).join(' ');
    const missing = Object.keys(schema.entries).filter((field) => !new RegExp(`\\b${field}\\b`).test(fields));
    expect(missing.filter((field) => !others.includes(field))).toEqual([]);
  });

  it('spares targets only promises of the suite', () => {
    const spared = TARGETS.flatMap(({ impossible }) => Object.keys(impossible));
    expect(spared.filter((name) => !cases.has(name))).toEqual([]);
  });

  it('leaves to other targets only sections of the suite, and none on WebAssembly to nobody', () => {
    const left = TARGETS.flatMap(({ elsewhere = [] }) => elsewhere);
    expect(left.filter((section) => !(section in CONTRACT))).toEqual([]);
    expect(left).toEqual([...new Set(left)]);
    const held = [WASM, BROWSER].flatMap((target) => Object.entries(contractOf(target)));
    const heldSections = held.filter(([, cases]) => cases.length > 0).map(([section]) => section);
    expect(new Set(heldSections)).toEqual(new Set(Object.keys(CONTRACT)));
  });

  it('is what docs/api.md shows; npm run docs writes it anew', async () => {
    await expect(renderCoverage()).toMatchFileSnapshot('../../docs/api.md');
  });
});
