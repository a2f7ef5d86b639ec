import { describe, expect, it } from 'vitest';
import { parseEndpoint } from '../../../benchmarks/compare/endpoint.ts';
import { readPlan } from '../../../benchmarks/compare/options.ts';
import { usageOfTree } from '../../../benchmarks/compare/process-tree.ts';
import { toFigures } from '../../../benchmarks/compare/round.ts';
import { parseStat } from '../../kit/process.ts';

describe('an endpoint', () => {
  it('may have a name', () => {
    expect(parseEndpoint('llama-server=/bin/x -m {model} --a=b')).toEqual({
      name: 'llama-server',
      at: '/bin/x -m {model} --a=b',
    });
    expect(parseEndpoint('http://127.0.0.1:1/v1?key=1')).toEqual({ name: 'peer', at: 'http://127.0.0.1:1/v1?key=1' });
  });
});

describe('the options', () => {
  it('say what is measured: Paddock first', () => {
    const plan = readPlan(['--peer', 'http://h/v1', '--workloads', 'short,mixed', '--streams', '2,3', '--rounds', '5']);
    expect(plan.endpoints.map(({ name }) => name)).toEqual(['Paddock', 'peer']);
    expect(plan.workloads.map(({ name, streams }) => [name, streams])).toEqual([
      ['short', [2, 3]],
      ['mixed', [16]],
    ]);
    expect(plan.rounds).toBe(5);
  });

  it.each([
    [['--rounds', '0'], '--rounds'],
    [['--streams', '1,x'], '--streams'],
    [['--workloads', 'nothing'], '--workloads'],
    [['--save', '../up'], '--save'],
  ])('refuse %j and name the option', (args, option) => {
    expect(() => readPlan(args)).toThrow(option);
  });
});

describe('the use of a process', () => {
  it('is read from its stat, whatever the program is called', () => {
    const fields = ['S', '41', ...Array(9).fill('0'), '250', '50', ...Array(8).fill('0'), '10', '0'];
    expect(parseStat(`42 (a) b (c)) ${fields.join(' ')}`)).toEqual({ parent: 41, ticks: 300, pages: 10 });
  });

  it.runIf(process.platform === 'linux')('is that of this process and its children', () => {
    const usage = usageOfTree(process.pid);
    expect(usage?.residentBytes).toBeGreaterThan(10 * 2 ** 20);
    expect(usage?.cpuSeconds).toBeGreaterThan(0);
  });

  it('is null for a process that is not there', () => {
    expect(usageOfTree(2 ** 30)).toBeNull();
  });
});

describe('the figures of a round', () => {
  it('count tokens by the server and pieces by the stream', () => {
    const reply = { text: '', firstMs: 100, gapsMs: [10, 20, 30], tokens: 8, promptTokens: 5 };
    expect(toFigures([reply, { ...reply, firstMs: 300 }], 2)).toEqual({
      tokens: 16,
      chunks: 8,
      promptTokens: 5,
      tokensPerSecond: 8,
      firstTokenP50: 100,
      firstTokenP99: 300,
      gapP50: 20,
      gapP99: 30,
    });
  });
});
