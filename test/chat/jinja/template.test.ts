import { describe, expect, it } from 'vitest';
import { compileJinja } from '../../../src/chat/jinja/template.ts';

const render = (source: string, variables: Record<string, unknown> = {}) => compileJinja(source)(variables);

/** A template, its variables and the text that Python's jinja2 writes. */
const TEXTS: [what: string, source: string, variables: Record<string, unknown>, text: string][] = [
  ['None', '[{{ x }}]', { x: null }, '[None]'],
  ['an undefined value', '[{{ x }}]', {}, '[]'],
  ['a truth', '{{ x }}', { x: true }, 'True'],
  ['a dictionary', '{{ x }}', { x: { a: [1, 'b"', "c'"], d: null } }, `{'a': [1, 'b"', "c'"], 'd': None}`],
  ['a dictionary by a filter', '{{ x | string }}', { x: { a: 1.5 } }, "{'a': 1.5}"],
  ['a joined value', "{{ 'a' ~ x ~ 1 }}", { x: null }, 'aNone1'],
  ['no turn of a loop over an undefined value', 'a{% for y in x %}{{ y }}{% endfor %}b', {}, 'ab'],
  ['a loop with a condition', '{% for y in x if y > 1 %}{{ y }}{% endfor %}', { x: [1, 2, 3] }, '23'],
  ['the length of an undefined value', '{{ x | length }}', {}, '0'],
  ['nothing of None that is selected from', "{{ x | selectattr('a') | list | length }}", { x: null }, '0'],
  ['the least value', '{{ [3, x] | min }}', { x: 2 }, '2'],
  ['a list that a method has made longer', '{% set l = [1] %}{% set _ = l.append(x) %}{{ l }}', { x: '2' }, "[1, '2']"],
  ['a text with values in its braces', "{{ '<{}|{}>'.format('a', x) }}", { x: 7 }, '<a|7>'],
  [
    'the items of a dictionary with a member of that name',
    '{% for k, v in x.items() %}{{ k }}{{ v }}{% endfor %}',
    { x: { items: 1 } },
    'items1',
  ],
  [
    'a dictionary whose keys are numbers',
    '{% set d = {512: 1, 64: 2} %}{% for k, v in d | dictsort %}{{ k }}:{{ v }} {% endfor %}{{ d[512] }}',
    {},
    '64:2 512:1 1',
  ],
  ['a text that is repeated', '{{ "  " * x }}|', { x: 2 }, '    |'],
  ['nothing of a member whose name is a list', '[{{ x[y] }}{{ x[z] }}]', { x: { a: 1 }, y: ['a'], z: 'a' }, '[1]'],
  ['pairs in a list', "{% for a, b in [('x', 'y')] %}{{ a }}{{ b }}{% endfor %}", {}, 'xy'],
];

describe('a Jinja template', () => {
  it.each(TEXTS)('writes %s as Python does', (_, source, variables, text) => {
    expect(render(source, variables)).toBe(text);
  });

  it('keeps its functions when a variable has the name of one', () => {
    expect(render('{{ x }}', { x: null, py_str: 'mine' })).toBe('None');
  });

  it('throws if it is not valid', () => {
    expect(() => compileJinja('{% if %}')).toThrow();
  });
});
