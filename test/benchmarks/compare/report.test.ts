import { describe, expect, it } from 'vitest';
import { withResults } from '../../../benchmarks/compare/docs.ts';
import { FIGURES } from '../../../benchmarks/compare/figures-shown.ts';
import { plotFigure } from '../../../benchmarks/compare/plot.ts';
import { comparisonTable, markdownTable } from '../../../benchmarks/compare/table.ts';
import { sampleResults } from './results-sample.ts';

const [speed] = FIGURES;
if (!speed) throw new Error('no figures');

describe('the table', () => {
  it('has the medians of all endpoints and the median ratio of the pairs', () => {
    const [head, , short, mixed] = comparisonTable(sampleResults, '0.5b').split('\n');
    expect(head).toContain('Tokens per second');
    expect(short).toMatch(/^\| short +\| 1 +\| 40\.0 \/ 20\.0 \(2\.00x\) /);
    expect(mixed).toMatch(/^\| mixed +\| 16 +\| 100\.0 \/ 125\.0 \(0\.80x\) /);
  });

  it('says with a hyphen what was not measured', () => {
    expect(comparisonTable(sampleResults, '0.5b')).toContain('| 900 / - ');
  });

  it('has only the rows of the model', () => {
    expect(comparisonTable(sampleResults, 'another').split('\n')).toHaveLength(2);
  });

  it('has columns of one width', () => {
    expect(
      markdownTable([
        ['a', 'b'],
        ['long one', 'c'],
      ]),
    ).toBe(['| a        | b |', '| -------- | - |', '| long one | c |'].join('\n'));
  });
});

describe('the plot', () => {
  const svg = plotFigure(sampleResults, speed);
  const bars = [...svg.matchAll(/<rect x="190" y="\d+" width="([\d.]+)"/g)].map(([, width]) => Number(width));

  it('has a bar for each endpoint of each comparison, all on one scale', () => {
    expect(bars).toHaveLength(4);
    expect(bars[3]).toBe(Math.max(...bars));
    expect((bars[0] ?? 0) / (bars[1] ?? 1)).toBeCloseTo(2, 1);
  });

  it('writes names as XML has them', () => {
    expect(svg).toContain('A &amp; B');
    expect(svg).not.toContain('A & B');
  });

  it('leaves out what was not measured', () => {
    const memory = FIGURES.find(({ key }) => key === 'peakMiB');
    expect(memory && plotFigure(sampleResults, memory).match(/<rect x="190"/g)).toHaveLength(2);
  });
});

describe('the page', () => {
  const page = 'before\n<!-- results: made by npm run bench:docs -->\nold\n<!-- end of results -->\nafter\n';

  it('gets the results between its marks, and nothing else changes', () => {
    const written = withResults(page, [['two-threads', sampleResults]]);
    expect(written).toMatch(/^before\n[\s\S]*\nafter\n$/);
    expect(written).not.toContain('old');
    expect(written).toContain('### Two threads');
    expect(written).toContain('commit abc123');
    expect(written).toContain('Load average 0.1');
    expect(withResults(written, [['two-threads', sampleResults]])).toBe(written);
  });

  it('must have the marks', () => {
    expect(() => withResults('nothing', [])).toThrow('results: made by');
  });
});
