import { FIGURES } from './figures-shown.ts';
import { plotFile, type Results } from './results.ts';
import { comparisonTable, markdownTable } from './table.ts';
import { WORKLOADS } from './workloads.ts';

export const DOCS_FILE = 'docs/benchmarks.md';

const BEGIN = '<!-- results: made by npm run bench:docs -->';
const END = '<!-- end of results -->';

/** Replaces the part of a page between the marks by the results. Throws if the page has no marks. */
export function withResults(page: string, all: [name: string, results: Results][]): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`the page has no part between '${BEGIN}' and '${END}'`);
  const parts = [workloadTable(), ...all.map(([name, results]) => resultsPart(name, results))];
  return `${page.slice(0, begin)}${BEGIN}\n\n${parts.join('\n\n')}\n\n${page.slice(end)}`;
}

function workloadTable(): string {
  return markdownTable([
    ['Workload', 'Requests'],
    ...Object.entries(WORKLOADS).map(([name, { about }]) => [`\`${name}\``, about]),
  ]);
}

function resultsPart(name: string, results: Results): string {
  const { date, commit, machine, load, endpoints, models, comparisons } = results;
  const rounds = Math.max(0, ...comparisons.map((comparison) => comparison.rounds[0]?.length ?? 0));
  const measured = models.filter((model) => comparisons.some((comparison) => comparison.model === model.name));
  return [
    `### ${name.replaceAll('-', ' ').replace(/^./, (letter) => letter.toUpperCase())}`,
    `${date}, commit ${commit}, ${machine.cores} cores of ${machine.processor}, ${machine.memoryGiB} GiB, ${machine.gpu ? `${machine.gpu}, ` : ''}${machine.system}, Node ` +
      `${machine.node}. Load average ${load.before} before the run and ${load.after} in its last minute; ${rounds} ${rounds === 1 ? 'round' : 'rounds'}.`,
    endpoints.map((endpoint) => `- ${endpoint.name}: \`${endpoint.command}\``).join('\n'),
    ...measured.map(
      (model) =>
        `**${model.name}** (${Math.round(model.bytes / 1e6)} MB, SHA-256 \`${model.sha256.slice(0, 16)}\`)\n\n` +
        comparisonTable(results, model.name),
    ),
    ...FIGURES.flatMap(({ title, plot }) => (plot === null ? [] : `![${title}](../${plotFile(name, plot)})`)),
  ].join('\n\n');
}
