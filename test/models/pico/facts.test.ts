import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { helpIntents, type Intent, selfIntents } from '../../../models/pico/generator/intents.ts';
import { FAMILIES } from '../../../src/api/api.ts';
import { chatRequestSchema } from '../../../src/api/chat/schema.ts';
import { authenticate } from '../../../src/api/http/auth.ts';
import { plainKeys } from '../../../src/api/keys/plain.ts';
import { checkExposure } from '../../../src/serve/config/exposure.ts';
import { resolveConfig } from '../../../src/serve/config/resolve.ts';
import { SETTINGS } from '../../../src/serve/config/settings.ts';
import { commands, wrongClaims } from './claims.ts';

const ANY_PORT = 4567;

const intents = [...helpIntents, ...selfIntents];

/** The answer to what an intent is about. */
function answerAbout(about: string): string {
  const [answer] = intents.find((intent) => intent.about === about)?.answer ?? [];
  if (answer === undefined) throw new Error(`no intent is about ${about}`);
  return answer;
}

/** The ports that an answer may name: the one that was asked for, or the default. */
function portsOf(answer: string): number[] {
  return answer.includes('$port') ? [ANY_PORT] : [SETTINGS.port.fallback({})];
}

/** Commands that came after the training of the weights: a text that the model does not write would be no claim of its. */
const NEWER = [
  'batch',
  'cache',
  'complete',
  'completion',
  'connect',
  'decide',
  'key',
  'profile',
  'ps',
  'run',
  'stop',
  'upgrade',
];

describe('what pico says of Paddock', () => {
  it.each(intents)('is true of $about', ({ answer }: Intent) => {
    for (const text of answer) {
      expect(wrongClaims(text.replaceAll('$port', String(ANY_PORT)), portsOf(text)), text).toEqual([]);
    }
  });

  it('states flags, paths, commands and figures at all', () => {
    const text = intents.flatMap(({ answer }) => answer).join('\n');
    for (const claim of ['--', 'PADDOCK_', '/v1/', '/health', '~/.paddock/', 'paddock ', 'npm ', 'http://', 'Node '])
      expect(text).toContain(claim);
  });

  it('names all commands that there were when it was trained', () => {
    const listed = /paddock (.*)\. Add --help/.exec(answerAbout('the commands'))?.[1] ?? '';
    expect(listed.split(/, | and /).toSorted()).toEqual(
      commands
        .map((command) => command.name())
        .filter((name) => !NEWER.includes(name))
        .toSorted(),
    );
  });

  it('shows a request that the API takes', () => {
    const body = / -d '(.*)'/.exec(answerAbout('curl'))?.[1] ?? '';
    expect(v.is(chatRequestSchema, JSON.parse(body))).toBe(true);
  });

  it('tells the order of the backends and of the places to configure', () => {
    const [, order = ''] = /^auto \((.*?)\)/.exec(SETTINGS.backend.description) ?? [];
    expect(order).toContain('GPU');
    expect(answerAbout('the backends')).toContain(order);

    expect(answerAbout('configuration')).toContain('Flags win over variables, and those over the file');
    const file = { path: 'config.json', folder: '.', values: { port: 3 } };
    const env = { [SETTINGS.port.env]: '2' };
    expect(resolveConfig({ flags: { port: '1' }, env, file }).port).toBe(1);
    expect(resolveConfig({ flags: {}, env, file }).port).toBe(2);
    expect(resolveConfig({ flags: {}, env: {}, file }).port).toBe(3);
  });

  it('tells when a key is needed, and how it is sent', () => {
    const answer = answerAbout('keys');
    const [header = '', value = ''] = /in the header (.*), or/.exec(answer)?.[1]?.split(': ') ?? [];
    const send = { [header.toLowerCase()]: value };
    expect(() => authenticate(plainKeys(['KEY']), send)).not.toThrow();

    expect(answer).toContain('No key is needed unless you set one');
    expect(() => authenticate(plainKeys(SETTINGS.apiKey.fallback({})), {})).not.toThrow();

    expect(answer).toContain('Then requests to /v1 must bring it');
    expect(() => authenticate(plainKeys(['KEY']), {})).toThrow('Authorization: Bearer');
    const open = FAMILIES.flatMap(({ routes }) => routes).filter((route) => route.open);
    expect(open.filter(({ path }) => path.startsWith('/v1'))).toEqual([]);
  });

  it('tells what other machines need: a host and a key', () => {
    expect(answerAbout('reaching it from elsewhere')).toContain('--host 0.0.0.0 and --api-key');
    expect(() => checkExposure({ host: '0.0.0.0', apiKey: ['KEY'], keys: undefined, noAuth: false })).not.toThrow();
    expect(() => checkExposure({ host: '0.0.0.0', apiKey: [], keys: undefined, noAuth: false })).toThrow('--api-key');
  });

  it('names the licence', () => {
    const { license } = JSON.parse(readFileSync('package.json', 'utf8')) as { license: string };
    expect(answerAbout('price and licence')).toContain(`${license} licence`);
  });
});

describe('the check of claims', () => {
  it.each([
    ['Start it with --prot 80.', '--prot 80'],
    ['Start it with --port 99999.', '--port 99999'],
    ['Force one with --backend gpu, tpu or wasm.', '--backend gpu, tpu or wasm'],
    ['Set PADDOCK_PROT.', 'PADDOCK_PROT'],
    ['POST to /v1/chats.', 'POST to /v1/chats'],
    ['GET /v1/chat/completions.', 'GET /v1/chat/completions'],
    ['Ask /healthz.', '/healthz'],
    ['It is in ~/.paddock/weights.', '~/.paddock/weights'],
    ['It is in ~/.paddock/config.yaml.', '~/.paddock/config.yaml'],
    ['Run paddock fetch.', 'paddock fetch'],
    ['Run npm run fly.', 'npm run fly'],
    ['It is at http://127.0.0.1:8080.', 'http://127.0.0.1:8080'],
    ['It is at http://0.0.0.0:1337.', 'http://0.0.0.0:1337'],
    ['It is on port 8080.', 'port 8080'],
    ['Run paddock pull hf:repo.', 'hf:repo'],
    ['With Node 18.0 or newer.', 'Node 18.0 or newer'],
    ['You get a 403.', 'a 403'],
    ['I have nine million parameters.', 'nine million parameters'],
    ['The context has 8192 tokens.', '8192'],
    ['It takes four requests at once.', 'four'],
  ])('finds what is wrong: %s', (sentence, claim) => {
    expect(wrongClaims(sentence)).toEqual([claim]);
  });
});
