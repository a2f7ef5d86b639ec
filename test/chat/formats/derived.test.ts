import { describe, expect, it } from 'vitest';
import { detectFormat, findFormat, formatOf } from '../../../src/chat/formats/index.ts';
import { prepareForced } from './forced-texts.ts';
import { KEYED, MARKED, NO_CALLS, TAGGED } from './invented.ts';
import { itLeavesAsContent, itReads, joined, readPieces, TOOLS } from './replies.ts';

const derivedOf = (template: string) => {
  const plan = findFormat(template);
  expect(plan.source).toBe('derived');
  return formatOf(plan);
};

const deed = (name: string, members = '') => `<~deed of="${name}"~>\n${members}<~/deed~>\n`;
const deeds = (...all: string[]) => `<~deeds~>\n${all.join('')}<~/deeds~>`;

describe('a template whose arguments have marks of their own', () => {
  itReads(derivedOf(TAGGED), {
    'one call': {
      reply: deeds(deed('add', '<~with a~>1<~/with~>\n<~with b~>null<~/with~>\n')),
      gives: [{ call: 'add', arguments: '{"a": 1, "b": null}' }],
    },
    'parallel calls, one without arguments': {
      reply: deeds(deed('add', '<~with a~>1<~/with~>\n'), deed('now')),
      gives: [
        { call: 'add', arguments: '{"a": 1}' },
        { call: 'now', arguments: '{}' },
      ],
    },
    'quotes, line ends and nested values': {
      reply: deeds(
        deed(
          'get_weather',
          '<~with city~>a "b"\n\'c\'<~/with~>\n<~with days~>[1, 2]<~/with~>\n<~with any~>{"x": [1, {"y": null}]}<~/with~>\n',
        ),
      ),
      gives: [
        {
          call: 'get_weather',
          arguments: '{"city": "a \\"b\\"\\n\'c\'", "days": [1, 2], "any": {"x": [1, {"y": null}]}}',
        },
      ],
    },
    'thoughts, text and a call': {
      reply: `((ponderTwo numbers.ponder))Let me add.\n${deeds(deed('add', '<~with a~>1<~/with~>\n'))}`,
      gives: [{ reasoning: 'Two numbers.' }, { content: 'Let me add.' }, { call: 'add', arguments: '{"a": 1}' }],
    },
    'calls with other space between the marks': {
      reply: '<~deeds~><~deed of="add"~>  <~with a~>1<~/with~><~/deed~></~',
      gives: [{ call: 'add', arguments: '{"a": 1}' }, { content: '</~' }],
    },
  });

  itLeavesAsContent(derivedOf(TAGGED), {
    'a call that is cut off': '<~deeds~>\n<~deed of="add"~>\n<~with a~>1',
    'a call of an unknown tool': '<~deeds~>\n<~deed of="fly"~>\n<~/deed~>\n<~/deeds~> and more',
  });

  it('forces calls in the same text', () => {
    const { grammar, read } = prepareForced(TAGGED);
    const text = deeds(deed('add', '<~with a~>1<~/with~>\n'), deed('get_weather', '<~with city~>a "<~" b<~/with~>\n'));
    expect(grammar(text)).toBe(true);
    expect(grammar(deeds(deed('add', '<~with a~>one<~/with~>\n')))).toBe(false);
    expect(read(text.split(''))).toEqual([
      { call: 'add', arguments: '{"a": 1}' },
      { call: 'get_weather', arguments: '{"city": "a \\"<~\\" b"}' },
    ]);
  });

  it('goes on behind the mark of a call that is none', () => {
    const template =
      '{% for message in messages %}{{ message.content }}{% for call in message.tool_calls or [] %}<zz:call>\n<zz:name={{ call.function.name }}>\n{% for key, value in call.function.arguments.items() %}<zz:key={{ key }}>{{ value if value is string else value | tojson }}</zz:key>\n{% endfor %}</zz:name>\n</zz:call>{% endfor %}{% endfor %}{{ tools | tojson if tools }}';
    for (const text of ['<zz:call>', 'a <zz:call> b', '<zz:call>\n<zz:call>']) {
      const parser = detectFormat(template).createParser({ tools: [{ name: 'add' }], startsInReasoning: false });
      const deltas = [...parser.push(text), ...parser.finish()];
      expect(deltas.map((delta) => (delta.kind === 'content' ? delta.text : delta.kind)).join('')).toBe(text);
    }
  });

  it('keeps a forced call that is cut off, with the arguments up to there', () => {
    const { read } = prepareForced(TAGGED);
    expect(read(['<~deeds~>\n<~deed of="get_weather"~>\n<~with city~>Colo'])).toEqual([
      { call: 'get_weather', arguments: '{"city": "Colo' },
    ]);
  });
});

describe('a template whose names are marks', () => {
  itReads(derivedOf(MARKED), {
    'parallel calls after text': {
      reply: 'Well: [[DO add]]{"a": 1}[[DONE]][[DO now]]{}[[DONE]]',
      gives: [{ content: 'Well:' }, { call: 'add', arguments: '{"a": 1}' }, { call: 'now', arguments: '{}' }],
    },
  });
});

describe('a template whose calls are JSON with other keys', () => {
  itReads(derivedOf(KEYED), {
    'parallel calls': {
      reply: '<~acts~>[{"act": "add", "input": {"a": 1}}, {"act": "now", "input": {}}]<~/acts~>',
      gives: [
        { call: 'add', arguments: '{"a": 1}' },
        { call: 'now', arguments: '{}' },
      ],
    },
  });
});

it('a template that shows no calls has the generic format', () => {
  const plan = findFormat(NO_CALLS);
  const format = formatOf(plan);
  expect([plan.family, plan.source]).toEqual(['generic', 'none']);
  expect(joined(readPieces(format, ['{"tool_calls": [{"name": "now", "arguments": {}}]}'], { tools: TOOLS }))).toEqual([
    { call: 'now', arguments: '{}' },
  ]);
});
