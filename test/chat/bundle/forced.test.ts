// @module-tag slow
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import type { FunctionCall, ReplyDelta, Tool } from '../../../src/chat/formats/format.ts';
import { detectFormat, supportsToolCalls } from '../../../src/chat/formats/index.ts';
import { createPreparer, type PreparedRequest } from '../../../src/chat/prepare.ts';
import { createChatTemplate } from '../../../src/chat/template.ts';
import type { JsonSchema } from '../../../src/contract/json-schema.ts';
import { checkValue } from '../../../src/grammar/check/check.ts';
import { isJson } from '../../../src/utils/json.ts';
import { parseGrammar } from '../../grammar/gbnf.ts';
import { createWriter } from '../../grammar/gbnf-writer.ts';
import { ask, chat } from '../../kit/generation.ts';
import { makeRandom, type Random } from '../../kit/random.ts';
import { repeats } from '../../support/repeats.ts';
import { traits } from '../fixtures.ts';
import { noBundle, readBundle } from './bundle.ts';

// A model with random weights writes any text that its grammar allows. Such texts of the grammar of forced calls are
// written here for every template, and must be read as valid calls.

const TOOLS: Tool[] = [
  {
    name: 'search',
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string' },
        code: { type: 'string', pattern: '^[A-Z]{2}-\\d{3}$' },
        day: { type: 'string', format: 'date' },
        short: { type: 'string', minLength: 1, maxLength: 5 },
        count: { type: 'integer', minimum: 1, maximum: 50 },
        ratio: { type: ['number', 'null'] },
        exact: { type: 'boolean' },
        unit: { enum: ['km', 'mi', 7] },
        tags: { type: 'array', items: { type: 'string' }, maxItems: 3 },
        area: { $ref: '#/$defs/area' },
        either: { anyOf: [{ type: 'string' }, { type: 'object', properties: { id: { type: 'integer' } } }] },
      },
      required: ['query', 'count'],
      $defs: { area: { type: 'object', properties: { north: { type: 'number' } }, required: ['north'] } },
    },
  },
  { name: 'get_time', parameters: { type: 'object', properties: { zone: { type: 'string' } } } },
  { name: 'now' },
];

const schemaOf = (name: string): JsonSchema =>
  TOOLS.find((tool) => tool.name === name)?.parameters ?? { type: 'object', additionalProperties: false };

const COUNT = repeats(3, 60);

describe.skipIf(noBundle)(`forced calls by the bundle's templates${noBundle ? ` (skipped: ${noBundle})` : ''}`, () => {
  let templates: [name: string, source: string][];

  beforeAll(() => {
    templates = [...readBundle().templates];
  }, 60_000);

  it.each(['required', { name: 'search' }] as const)(
    'are valid calls, whole and in pieces: %o',
    (toolChoice) => {
      const wrong = templates.flatMap(([name, source]) => {
        const request = prepare(source, toolChoice);
        return textsOf(request, name.length).flatMap((text) => {
          const found = read(source, request, [text]);
          const inPieces = read(source, request, pieces(text, makeRandom(text.length)));
          const isValid =
            found.calls.length > 0 && found.content === '' && found.calls.every((call) => isAllowed(call, request));
          return isValid && isDeepStrictEqual(found, inPieces) ? [] : [{ name, text, found, inPieces }];
        });
      });
      expect(wrong).toEqual([]);
    },
    120_000,
  );

  it('are read by the parser of free replies as well', () => {
    const wrong = templates.flatMap(([name, source]) => {
      const request = prepare(source, 'required');
      const free = { ...request, parser: { tools: TOOLS, startsInReasoning: false } };
      return textsOf(request, name.length + 1).flatMap((text) => {
        const [forced, found] = [read(source, request, [text]), read(source, free, [text])];
        return isDeepStrictEqual(found.calls.map(plain), forced.calls.map(plain))
          ? []
          : [{ name, text, forced, found }];
      });
    });
    expect(wrong).toEqual([]);
  }, 120_000);
});

/** Some templates sort the arguments, and write `true` as Python does. */
const CALL: FunctionCall = {
  name: 'search',
  arguments: '{"area": {"north": 1.5}, "count": 2, "query": "Köln & \\"x\\"", "tags": ["a", "b"]}',
};

/** The templates that write calls in another way than Paddock does, and why it does. */
const OTHERWISE: Record<string, string> = {
  'ByteDance-Seed-OSS': 'The template prints objects and lists as Python does. Their JSON is read, too.',
  'openbmb-MiniCPM5-1B': 'As above. A text with quotes needs no CDATA.',
  'MiniMax-M3': 'Objects and lists within an argument are JSON in place of elements.',
  'LFM2.5-8B-A1B': 'A text is a JSON string, which is Python, too, but with other quotes than the template writes.',
  'deepseek-ai-DeepSeek-R1-Distill-Llama-8B': 'The template shows the marks of calls, but writes no calls.',
  'Reka-Edge': 'The template writes letters beyond ASCII as escapes.',
  'Mistral-Small-3.2-24B-Instruct-2506': 'The id of a call is left out: Paddock makes the ids.',
  'mistralai-Mistral-Nemo-Instruct-2407': 'As above.',
  'openai-gpt-oss-120b': 'The template moves the recipient to another place than the model writes it to.',
  'upstage-Solar-Open-100B': 'The id of a call is the id that the client sent, and Paddock makes the ids.',
};

describe.skipIf(noBundle)(`calls that Paddock writes${noBundle ? ` (skipped: ${noBundle})` : ''}`, () => {
  it("are the template's own text, letter by letter but for space", () => {
    const packed = (text: string) => text.replace(/\s/g, '');
    const different = [...readBundle().templates].filter(([, source]) => {
      if (!supportsToolCalls(source)) return false;
      const format = detectFormat(source);
      const render = createChatTemplate(source, traits(source));
      const answer = [{ id: 'call_1', type: 'function' as const, function: CALL }];
      const messages = [
        { role: 'user' as const, content: 'Hello' },
        { role: 'assistant' as const, content: '', tool_calls: answer },
      ];
      return !packed(render(messages, TOOLS, {}, false)).includes(packed(format.writeCalls([CALL])));
    });
    expect(different.map(([name]) => name).sort()).toEqual(Object.keys(OTHERWISE).sort());
  });
});

describe.skipIf(noBundle)(`calls that a limit cuts off${noBundle ? ` (skipped: ${noBundle})` : ''}`, () => {
  it('have the beginning of their arguments, or are content, wherever they are cut', () => {
    const wrong = [...readBundle().templates].flatMap(([name, source]) => {
      const format = detectFormat(source);
      const text = format.writeCalls([CALL]);
      const readUpTo = (length: number) => {
        const parser = format.createParser({ tools: TOOLS, startsInReasoning: false });
        return [...parser.push(text.slice(0, length)), ...parser.finish(length < text.length)];
      };
      const argumentsOf = (deltas: ReplyDelta[]) =>
        deltas
          .map((delta) => (delta.kind === 'toolArguments' ? delta.text : ''))
          .join('')
          .replace(/\s/g, '');
      const whole = argumentsOf(readUpTo(text.length));
      return Array.from(text, (_, length) => readUpTo(length)).flatMap((deltas) => {
        const calls = deltas.filter(({ kind }) => kind === 'toolCall').length;
        const hasContent = deltas.some(({ kind }) => kind === 'content');
        const isRight = calls === 0 || (calls === 1 && !hasContent && whole.startsWith(argumentsOf(deltas)));
        return isRight ? [] : [{ name, deltas }];
      });
    });
    expect(wrong).toEqual([]);
  }, 120_000);
});

/** Returns random texts of the grammar. */
function textsOf({ grammar }: PreparedRequest, seed: number): string[] {
  const write = createWriter(parseGrammar(plainEscapes(grammar ?? '')), 'root');
  const random = makeRandom(seed);
  return Array.from({ length: COUNT }, () => write(random));
}

function isAllowed({ name, arguments: json }: Call, { checks }: PreparedRequest): boolean {
  if (!isJson(json)) return false;
  // What the grammar leaves to the check of the finished call may be broken.
  return checks !== null || checkValue(schemaOf(name), JSON.parse(json)).length === 0;
}

/** The prepared requests by their templates, for a call of any tool. */
const prepared = new Map<string, PreparedRequest>();

function prepare(source: string, toolChoice: 'required' | { name: string }): PreparedRequest {
  const known = toolChoice === 'required' ? prepared.get(source) : undefined;
  if (known) return known;
  const prompt = chat([{ role: 'user', content: 'Hello' }], { tools: TOOLS, toolChoice, parallelToolCalls: true });
  const made = createPreparer(traits(source))(ask('', { prompt }));
  if (toolChoice === 'required') prepared.set(source, made);
  return made;
}

interface Call {
  name: string;
  arguments: string;
}

interface Read {
  content: string;
  calls: Call[];
}

function read(source: string, { parser: options }: PreparedRequest, pieces: string[]): Read {
  if (!options) throw new Error('there is no parser');
  const parser = detectFormat(source).createParser(options);
  const deltas: ReplyDelta[] = [...pieces.flatMap((piece) => parser.push(piece)), ...parser.finish()];
  const found: Read = { content: '', calls: [] };
  for (const delta of deltas) {
    const last = found.calls.at(-1);
    if (delta.kind === 'toolCall') found.calls.push({ name: delta.name, arguments: '' });
    else if (delta.kind === 'toolArguments' && last) last.arguments += delta.text;
    else if (delta.kind === 'content' || delta.kind === 'reasoning') found.content += delta.text;
  }
  return found;
}

const plain = ({ name, arguments: json }: Call) => ({ name, arguments: isJson(json) ? JSON.parse(json) : json });

function pieces(text: string, random: Random): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; ) {
    const length = 1 + (random() % 9);
    found.push(text.slice(at, at + length));
    at += length;
  }
  return found;
}

/** The test's reader of GBNF knows no `\n` and no empty lines. */
function plainEscapes(grammar: string): string {
  return grammar
    .replace(/\n{2,}/g, '\n')
    .replace(/\\(?:n|t|.)/g, (written) => ({ '\\n': '\\x0A', '\\t': '\\x09' })[written] ?? written);
}
