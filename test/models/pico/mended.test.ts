import { describe, expect, it } from 'vitest';
import { createAsk } from '../../../models/pico/ask.ts';
import { MENDED_CASES, readCases } from '../../../models/pico/cases.ts';
import { readData } from '../../../models/pico/generator/data.ts';
import { greetings, helpIntents, selfIntents, talkIntents } from '../../../models/pico/generator/intents.ts';
import { judge } from '../../../models/pico/judge.ts';
import { servePico } from './pico.ts';

/** Of the held-out questions 10 of 14 are answered rightly, and none was before the answers were mended. */
const RIGHT_AT_LEAST = 0.6;

const answers = [
  ...[...greetings, ...selfIntents, ...helpIntents, ...talkIntents].flatMap(({ answer }) => answer),
  ...readData<{ answer: string }[]>('declines').map(({ answer }) => answer),
].map(toPattern);

/** The answer, with any port in the place of its slot. */
function toPattern(answer: string): RegExp {
  const parts = answer.split('$port').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('\\d+')}$`);
}

describe('pico on keys, the port and the browser', async () => {
  const ask = createAsk(await servePico('cpu'));
  const replyTo = async (question: string) =>
    (await ask([{ role: 'user', content: question }], undefined)).content?.trim() ?? '';

  it.each([
    ['Do I need an API key?', /^No key is needed unless you set one with --api-key\. .*Authorization: Bearer KEY/],
    ['I get a 401', /Authorization: Bearer KEY/],
    ['How do I protect the server?', /--api-key/],
    ['Can my phone use it?', /--host 0\.0\.0\.0 and --api-key/],
    ['Where does Paddock listen?', /^A server is at http:\/\/127\.0\.0\.1:1337 unless --port or --host say otherwise/],
    ['How do I change the port?', /--port \d+ or set PADDOCK_PORT/],
    ['I ran it with --port 4711, what is its address?', /^Then it is at http:\/\/127\.0\.0\.1:4711, /],
    ['What is the port in the browser?', /^In a browser there is .*no port/],
    ['How do I start it in the browser?', /no npm|only open the page/],
    ['How do I install Paddock?', /npm ci and then npm start.*In a browser you only open the page/],
  ])('answers %s', async (question, right) => {
    expect(await replyTo(question)).toMatch(right);
  });

  it('answers most questions that it was not trained on', async () => {
    const cases = readCases(MENDED_CASES);
    const wrong: string[] = [];
    for (const one of cases) {
      const { right, reply } = await judge(ask, one);
      if (!right) wrong.push(`${one.user.join(' / ')}: ${reply.content}`);
    }
    expect(1 - wrong.length / cases.length, wrong.join('\n')).toBeGreaterThanOrEqual(RIGHT_AT_LEAST);
  });

  it('says nothing of Paddock but what the corpus says, whose facts are checked', { timeout: 60_000 }, async () => {
    const questions = [...readCases(), ...readCases(MENDED_CASES)]
      .filter(({ group }) => ['help', 'self', 'keys', 'port', 'browser'].includes(group))
      .flatMap(({ user }) => user);
    expect(questions.length).toBeGreaterThan(75);
    for (const question of questions) {
      const reply = await replyTo(question);
      if (/paddock|server|browser|\bkeys?\b|\bport\b|--|\//i.test(reply))
        expect(
          answers.some((answer) => answer.test(reply)),
          `${question} -> ${reply}`,
        ).toBe(true);
    }
  });
});
