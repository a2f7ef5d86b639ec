import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { chatRecord, serverState } from '../telemetry/fixtures.ts';

interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; w: number };
  targets?: { expr: string; legendFormat: string }[];
}

const dashboard: { panels: Panel[]; templating: { list: { name: string; query: string }[] } } = JSON.parse(
  readFileSync('deploy/grafana/paddock.json', 'utf8'),
);
const targets = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })));
const queries = [...targets.map(({ expr }) => expr), ...dashboard.templating.list.map(({ query }) => query)];

/** What Prometheus adds to every series of a server, and what belongs to histograms. */
const ADDED = ['instance', 'le'];

/** The names and labels of all metrics that there are, read off a scrape. */
async function readMetrics(): Promise<Map<string, Set<string>>> {
  const metrics = createMetrics('1');
  metrics.observer.ended(chatRecord());
  metrics.observer.piece('tiny', 20);
  const { pool } = metrics;
  pool.loaded('tiny', 1);
  pool.unloaded('tiny', 'idle');
  pool.waited('tiny', 1);
  pool.engineDied('tiny');
  pool.engineStuck('tiny');
  pool.tookOver('tiny');
  metrics.pulled('ok');
  const found = new Map<string, Set<string>>();
  for (const line of (await metrics.text(serverState())).split('\n')) {
    const [, name, labels = ''] = /^([a-z]\w*)(?:\{(.*)\})? /.exec(line) ?? [];
    if (name) found.set(name, new Set([...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label)));
  }
  return found;
}

const NAME = /\b((?:paddock|process|nodejs)_\w+)/g;

describe('the dashboard for Grafana', () => {
  it('asks for metrics that there are, by labels that they have', async () => {
    const metrics = await readMetrics();
    expect(targets.length).toBeGreaterThan(30);
    for (const { title, expr, legendFormat } of targets) {
      const names = [...expr.matchAll(NAME)].map(([, name = '']) => name);
      expect(
        names.filter((name) => !metrics.has(name)),
        title,
      ).toEqual([]);
      expect(names, title).not.toEqual([]);
      const known = new Set([...ADDED, ...names.flatMap((name) => [...(metrics.get(name) ?? [])])]);
      const selected = [...expr.matchAll(/(\w+)=~?"/g)].map(([, label = '']) => label);
      const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
      expect(
        [...selected, ...grouped, ...shown].filter((label) => !known.has(label)),
        title,
      ).toEqual([]);
    }
  });

  it('shows every metric of ours', async () => {
    const bare = (name: string) => name.replace(/_(bucket|sum|count)$/, '');
    const asked = new Set(queries.flatMap((query) => [...query.matchAll(NAME)].map(([, name = '']) => bare(name))));
    const ours = [...(await readMetrics()).keys()].map(bare).filter((name) => name.startsWith('paddock_'));
    // What is told to people who look at one server, not at a graph.
    const beside = ['paddock_context_length_tokens', 'paddock_models'];
    expect([...new Set(ours)].filter((name) => !asked.has(name) && !beside.includes(name))).toEqual([]);
  });

  it('uses only variables that it has', () => {
    const names = new Set(dashboard.templating.list.map(({ name }) => name));
    const used = [...JSON.stringify(dashboard).matchAll(/\$\{?(\w+)\}?/g)].map(([, name = '']) => name);
    expect([...new Set(used)].filter((name) => !names.has(name) && !name.startsWith('__'))).toEqual([]);
  });

  it('has panels of different ids that fit its width', () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
  });
});
