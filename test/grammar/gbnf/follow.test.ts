import { describe, expect, it } from 'vitest';
import { beginning, type GrammarProgress } from '../../../src/grammar/gbnf/follow.ts';
import { continuations, forcedText, isComplete } from '../../../src/grammar/gbnf/forced.ts';
import { parseGrammar } from '../../../src/grammar/gbnf/parse.ts';
import { contains } from '../../../src/grammar/gbnf/ranges.ts';
import { createSchemaGrammar, rootGrammar } from '../../../src/grammar/schema-grammar.ts';
import { makeRandom } from '../../kit/random.ts';
import { sample } from '../../support/repeats.ts';
import { parseGrammar as parseForTests } from '../gbnf.ts';
import { createMatcher } from '../gbnf-matcher.ts';
import { createWriter } from '../gbnf-writer.ts';
import { schemaCases } from '../schemas/all.ts';

const start = (grammar: string): GrammarProgress => {
  const rules = parseGrammar(grammar);
  const reached = rules && beginning(rules);
  if (!reached) throw new Error(`Not followed: ${grammar}`);
  return reached;
};

/** How far a text comes; undefined if it does not belong to the grammar. */
const follow = (from: GrammarProgress, text: string) =>
  [...text].reduce<GrammarProgress | undefined>((at, character) => at?.after(character.codePointAt(0) ?? 0), from);

const forcedAfter = (grammar: string, text: string) => {
  const reached = follow(start(grammar), text);
  return reached && forcedText(reached).text;
};

const grammarOf = (schema: object) => rootGrammar(createSchemaGrammar(schema as never, { param: 'schema' }));

describe('a grammar that is followed', () => {
  it.each(sample(schemaCases))('agrees with a matcher on the texts of $name', ({ schema }) => {
    const grammar = rootGrammar(createSchemaGrammar(schema, { param: 'schema' }));
    const rules = parseForTests(grammar);
    const [write, matches] = [createWriter(rules, 'root'), createMatcher(rules, 'root')];
    const random = makeRandom(1);
    const from = start(grammar);
    for (let round = 0; round < 20; round++) {
      const text = write(random);
      const whole = follow(from, text);
      expect(whole?.mayEnd, text).toBe(true);
      const characters = [...text];
      characters.splice(random() % (characters.length + 1), random() % 3, ...'a"1}'.slice(random() % 4));
      const changed = characters.join('');
      // A text of some thousand characters takes the matcher of the tests too long.
      if (changed.length < 500) expect(follow(from, changed)?.mayEnd ?? false, changed).toBe(matches(changed));
    }
  });

  it('says which characters may come next', () => {
    const reached = follow(start('root ::= ("ab" | "ac" | [x-z]+ "!")'), 'a');
    expect(reached?.next).toEqual([[0x62, 0x63]]);
    expect(contains(follow(start('root ::= [x-z]+ "!"'), 'xy')?.next ?? [], 0x21)).toBe(true);
  });

  it('reads what people write by hand', () => {
    const grammar = `
      # A comment with "quotes" and ::=
      root ::= (greeting | farewell)
               name # another
      greeting ::= "Hello\\x21\\u00e9" ws
      farewell ::= "Bye" ws
      name ::= [^\\]a-c"\\n]{2,3} .
      ws ::= [ \\t]*`;
    expect(follow(start(grammar), 'Hello!é  xyz')?.mayEnd).toBe(true);
    expect(follow(start(grammar), 'Bye]')).toBeUndefined();
    expect(follow(start(grammar), 'Bye\nxy')).toBeUndefined();
  });

  it('is not followed if a rule is missing or a part is not known', () => {
    expect(parseGrammar('root ::= "a" other')).toBeUndefined();
    expect(parseGrammar('root ::= <[1000]>')).toBeUndefined();
    expect(parseGrammar('root ::= ("a"')).toBeUndefined();
    expect(parseGrammar('start ::= "a"')).toBeUndefined();
  });

  it('is given up where too many ways are open', () => {
    const options = Array.from({ length: 257 }, (_, index) => `"a" [b-c]{${index + 1}}`).join(' | ');
    expect(beginning(parseGrammar(`root ::= ${options}`) ?? new Map())).toBeUndefined();
    expect(beginning(parseGrammar('root ::= (("a"?)*)* "b"') ?? new Map())).toBeUndefined();
  });
});

describe('a forced text', () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      state: { enum: ['open', 'overdue', 'closed'] },
      version: { const: 1 },
    },
    required: ['name', 'state', 'version'],
    additionalProperties: false,
  };
  const grammar = grammarOf(schema);

  it('is a key with its quotes and colon', () => {
    expect(forcedAfter(grammar, '')).toBe('{"name":');
    expect(forcedAfter(grammar, '{"name": "Ann",')).toBe('');
    expect(forcedAfter(grammar, '{"name": "Ann", ')).toBe('"state":');
  });

  it('is the end of a value of which the beginning tells it', () => {
    expect(forcedAfter(grammar, '{"name": "Ann", "state": "o')).toBe('');
    expect(forcedAfter(grammar, '{"name": "Ann", "state": "ov')).toBe('erdue",');
  });

  it('is nothing inside a string', () => {
    expect(forcedAfter(grammar, '{"name": "A')).toBe('');
  });

  it('goes up to the end, after which nothing comes', () => {
    const text = '{"name": "Ann", "state": "open", "version": 1';
    expect(forcedAfter(grammar, text)).toBe('}');
    const end = follow(start(grammar), `${text}}`);
    expect(end && isComplete(end)).toBe(true);
    expect(isComplete(start(grammar))).toBe(false);
  });

  it('has the texts that may follow it', () => {
    const { reached } = forcedText(start(grammar));
    expect(continuations(reached)).toEqual([' "', '"']);
  });
});
