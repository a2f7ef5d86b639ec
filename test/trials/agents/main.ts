import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createApi } from '../../../src/api/api.ts';
import { plainKeys } from '../../../src/api/keys/plain.ts';
import { createResponseStore } from '../../../src/api/responses/store.ts';
import { builtInModelsFolder } from '../../../src/catalogue/node/built-in.ts';
import { openCatalogue } from '../../../src/catalogue/node/catalogue.ts';
import type { ModelCard } from '../../../src/contract/models/model.ts';
import { createLog } from '../../../src/serve/log.ts';
import { startHttpServer } from '../../../src/server/server.ts';
import { AGENTS, type Agent } from './agents.ts';
import { createScriptedRunner, type Turn } from './scripted-runner.ts';
import { type Outcome, runAgent } from './trial.ts';

/**
 * npm run try:agents: installs coding agents into a temporary folder and lets each work in an empty folder. Their
 * server is the real HTTP front with a scripted model. Prints the results.
 */
const { values } = parseArgs({
  options: {
    /** Names of agents, separated by commas; by default all. */
    only: { type: 'string' },
    steps: { type: 'string', default: '3' },
    /** The context window in words. A short one shows how an agent handles a prompt that does not fit. */
    window: { type: 'string', default: '131072' },
    /** A folder where the agents are installed already. */
    installed: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});
const log = createLog({ logLevel: 'silent', logFormat: 'json' });
const steps = Number(values.steps);
const contextLength = Number(values.window);
const only = values.only?.toLowerCase().split(',');
const agents = AGENTS.filter(({ name, bin }) => !only || only.includes(name.toLowerCase()) || only.includes(bin));
const folder = values.installed ?? mkdtempSync(join(tmpdir(), 'paddock-agents-'));

try {
  if (!values.installed) install(agents, folder);
  for (const agent of agents) report(agent, ...(await tryAgent(agent)));
} finally {
  if (!values.installed) rmSync(folder, { recursive: true, force: true });
}

function install(wanted: Agent[], into: string): void {
  const packages = wanted.map((agent) => `${agent.package}@${agent.version}`);
  const { status } = spawnSync(
    'npm',
    ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', into, ...packages],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  if (status !== 0) throw new Error('the agents could not be installed');
}

async function tryAgent(agent: Agent): Promise<[Outcome, Turn[]]> {
  const catalogue = await openCatalogue([builtInModelsFolder], log);
  const card = catalogue.find('pico') as ModelCard;
  const chatTemplate = card.settings.prompt_template ?? '';
  const runner = createScriptedRunner({ model: card.id, chatTemplate, contextLength, steps });
  const api = createApi({
    catalogue,
    runner,
    apiKeys: plainKeys([]),
    pages: { origins: [], local: 'none' },
    contentFilter: [],
    pingIntervalMs: 10_000,
    systemFingerprint: 'paddock-trial',
    noteUnknownFields: () => {},
    log,
    responses: createResponseStore(),
  });
  const seen: string[] = [];
  const server = await startHttpServer({
    api: async (request) => {
      const reply = await api(request);
      seen.push(`${reply.status} ${request.method} ${request.path}`);
      return reply;
    },
    host: '127.0.0.1',
    port: 0,
    allowedHosts: [],
    bodyLimits: { bytes: 64e6, inFlightBytes: 256e6, timeMs: 60_000 },
  });
  try {
    const facts = { url: `http://127.0.0.1:${server.port}`, key: null, model: card.id, contextLength };
    const outcome = await runAgent(agent, join(folder, 'node_modules/.bin'), facts);
    if (values.verbose) process.stdout.write(`${seen.join('\n')}\n`);
    return [outcome, runner.turns];
  } finally {
    await server.close(0);
    await catalogue[Symbol.asyncDispose]();
  }
}

function report({ name, version, api }: Agent, outcome: Outcome, turns: Turn[]): void {
  const ok = outcome.steps === steps && outcome.told;
  process.stdout.write(
    `| ${name} | ${version} | ${api} | ${ok ? 'yes' : 'no'} | ${outcome.steps} of ${steps} | ${outcome.told ? 'yes' : 'no'} | ${outcome.exitCode} |\n`,
  );
  for (const { move, prompt, cached } of turns)
    process.stdout.write(`    ${move}: ${prompt} words, ${cached} cached\n`);
  if (!ok || values.verbose) process.stdout.write(`${outcome.output.replace(/^/gm, '    > ')}\n`);
}
