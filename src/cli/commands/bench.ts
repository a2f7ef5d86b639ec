import { availableParallelism, cpus } from 'node:os';
import { type Command, Option } from 'commander';
import { integerSetting, readValue } from '../../serve/config/values.ts';
import { coloursFor, formatTable, note, print, printJson } from '../../serve/output.ts';
import { type BenchPlan, createPrompts, engineOf, type Measurement, measure } from '../bench/measure.ts';
import { type NextTurn, summarizeNextTurns, takeNextTurns } from '../bench/next-turn.ts';
import { chooseModel } from '../client/choose-model.ts';
import { type ReachedServer, reachServer } from '../client/reach.ts';
import type { ReplyMeasurements } from '../client/reply.ts';
import { addClientOptions, wantedServer } from './client-options.ts';

const FLAGS = {
  streams: { schema: integerSetting(1, 256), fallback: 4, help: 'replies at once; a single one is measured as well' },
  promptTokens: { schema: integerSetting(1, 1_000_000), fallback: 256, help: 'tokens of each prompt' },
  tokens: { schema: integerSetting(2, 1_000_000), fallback: 64, help: 'most tokens of each reply' },
  rounds: {
    schema: integerSetting(1, 1000),
    fallback: 3,
    help: 'rounds of measurements, of which the medians are shown',
  },
};

/**
 * `paddock bench`: measures through the API, on a running server or on one that the command starts. The command fails
 * with a `UsageError` for a figure out of range.
 */
export function registerBench(program: Command): void {
  const command = program
    .command('bench')
    .description('measure how fast a model reads and writes through the API')
    .argument('[model]', 'its id (default: the first that is loaded, else the first that can chat)')
    .option('--json', 'print the figures as JSON');
  for (const [name, { help, fallback }] of Object.entries(FLAGS))
    command.addOption(new Option(`--${toFlag(name)} <n>`, `${help} (default: ${fallback})`));
  addClientOptions(command).action(bench);
}

async function bench(model: string | undefined, options: Record<string, unknown>): Promise<void> {
  const wanted = wantedServer(options);
  const [streams, promptTokens, replyTokens, rounds] = [
    readFlag('streams', options),
    readFlag('promptTokens', options),
    readFlag('tokens', options),
    readFlag('rounds', options),
  ];
  // A server of the command's own has a slot for each stream and stores no prompts, since no prompt comes twice.
  wanted.config.slots = Math.max(wanted.config.slots ?? 1, streams);
  wanted.config.noCache = true;
  await using reached = await reachServer(wanted);
  const { client } = reached;
  const plan = { model: chooseModel(await client.models(), model).id, promptTokens, replyTokens, rounds };
  const nextPrompt = await createPrompts(client, plan);
  const engine = await engineOf(client, plan.model);
  const measurements: Measured[] = [];
  for (const count of new Set([1, streams])) {
    if (process.stderr.isTTY) note(`${count} at once, ${rounds} rounds ...`);
    const turns: ReplyMeasurements[] = [];
    const measured = await measure(client, plan, count, nextPrompt, async (answered) => {
      turns.push(...(await takeNextTurns(client, answered)));
    });
    measurements.push({ ...measured, nextTurn: summarizeNextTurns(turns) });
  }
  const report = { ...plan, ...engine, machine: machineOf(reached), measurements };
  if (options.json) return printJson(report);
  print(toText(report));
  if (engine.slots < streams)
    note(`paddock: the server has ${engine.slots} slots, so some of ${streams} streams wait for others`);
}

type Measured = Measurement & { nextTurn: NextTurn };

type Report = BenchPlan &
  Awaited<ReturnType<typeof engineOf>> & { machine: ReturnType<typeof machineOf>; measurements: Measured[] };

function toText({ model, backend, device, slots, machine, measurements }: Report): string {
  const { cpu, cores, node, server } = machine;
  return [
    `${model} on ${backend} (${device}), ${slots} slots, ${server ?? 'a server of its own'}`,
    `asked by Node ${node} on ${cpu}, ${cores} cores\n`,
    toTable(measurements),
    ...measurements.map(toMisses).filter((line) => line !== ''),
    '\nMedians. The first token and "together" are timed here, over HTTP; the other rates are the server\'s timings.',
  ].join('\n');
}

/** Describes the machine of this process. `server` is the URL of the server; null if it runs in this process. */
function machineOf({ own, client }: ReachedServer) {
  return {
    cpu: cpus()[0]?.model.trim() ?? '',
    cores: availableParallelism(),
    node: process.version,
    server: own ? null : client.url,
  };
}

function toTable(measurements: Measured[]): string {
  const head = [
    'at once',
    'prompt',
    'reply',
    'first token',
    'prompt tokens/s',
    'reply tokens/s',
    'together tokens/s',
    'next turn',
    'cached',
  ];
  const figure = (value: number | null, digits = 1) => (value === null ? '-' : value.toFixed(digits));
  const rows = measurements.map((one) => [
    String(one.streams),
    figure(one.promptTokens, 0),
    figure(one.replyTokens, 0),
    `${figure(one.firstTokenMs, 0)} ms`,
    figure(one.promptPerSecond),
    figure(one.replyPerSecond),
    figure(one.togetherPerSecond),
    `${figure(one.nextTurn.firstTokenMs, 0)} ms`,
    `${figure(one.nextTurn.cachedTokens, 0)} of ${figure(one.nextTurn.promptTokens, 0)}`,
  ]);
  return formatTable([head, ...rows], { right: head.map((_, column) => column), colours: coloursFor(process.stdout) });
}

/** Returns a line with the reasons of the cache misses; empty if there were none. */
function toMisses({ streams, nextTurn }: Measured): string {
  const reasons = Object.entries(nextTurn.misses).map(([why, count]) => `${why} ${count}`);
  return reasons.length === 0
    ? ''
    : `\n${streams} at once, why next turns had not more from the cache: ${reasons.join(', ')}`;
}

function readFlag(name: keyof typeof FLAGS, options: Record<string, unknown>): number {
  const { schema, fallback } = FLAGS[name];
  return readValue(schema, options[name] ?? fallback, `--${toFlag(name)}`);
}

function toFlag(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
