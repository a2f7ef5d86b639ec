import { availableParallelism, cpus } from 'node:os';
import { type Command, Option } from 'commander';
import * as v from 'valibot';
import { type BenchPlan, createPrompts, type Measurement, measure } from '../bench/measure.ts';
import { chooseModel } from '../client/choose-model.ts';
import type { Client } from '../client/client.ts';
import { reachServer } from '../client/reach.ts';
import { integer } from '../config/values.ts';
import { UsageError } from '../errors.ts';
import { coloursFor, formatTable, note, print, printJson } from '../output.ts';
import { addClientOptions, wantedServer } from './client-options.ts';

const FLAGS = {
  streams: { schema: integer(1, 256), fallback: 4, help: 'how many replies at once, besides one alone' },
  promptTokens: { schema: integer(1, 1_000_000), fallback: 256, help: 'tokens of each prompt' },
  tokens: { schema: integer(2, 1_000_000), fallback: 64, help: 'most tokens of each reply' },
  rounds: { schema: integer(1, 1000), fallback: 3, help: 'how often all is measured; the medians are told' },
};

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
  const streams = readFlag('streams', options);
  // A server of its own gets a slot for each stream.
  wanted.config.slots = Math.max(wanted.config.slots, streams);
  await using reached = await reachServer(wanted);
  const { client } = reached;
  const plan: BenchPlan = {
    model: chooseModel(await client.models(), model).id,
    promptTokens: readFlag('promptTokens', options),
    replyTokens: readFlag('tokens', options),
    rounds: readFlag('rounds', options),
  };
  const nextPrompt = await createPrompts(client, plan);
  const engine = await engineOf(client, plan.model);
  const measurements: Measurement[] = [];
  for (const count of new Set([1, streams])) {
    if (process.stderr.isTTY) note(`${count} at once, ${plan.rounds} rounds ...`);
    measurements.push(await measure(client, plan, count, nextPrompt));
  }
  const machine = {
    cpu: cpus()[0]?.model.trim() ?? '',
    cores: availableParallelism(),
    node: process.version,
    server: reached.own ? null : client.url,
  };
  if (options.json) return printJson({ ...plan, ...engine, machine, measurements });
  const where = reached.own ? 'a server of its own' : client.url;
  print(
    `${plan.model} on ${engine.backend} (${engine.device}), ${engine.slots} slots, asked by ${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, at ${where}\n`,
  );
  print(toTable(measurements));
  print(
    '\nMedians. The first token and "together" are timed here, over HTTP; the other rates are the server\'s timings.',
  );
  if (engine.slots < streams)
    note(`paddock: the server has ${engine.slots} slots, so some of ${streams} streams wait for others`);
}

async function engineOf(client: Client, id: string) {
  const found = (await client.health()).models.find((loaded) => loaded.id === id);
  if (!found) throw new Error(`the server does not say what ${id} runs on`);
  return { backend: found.backend, device: found.device, slots: found.slots };
}

function toTable(measurements: Measurement[]): string {
  const head = ['at once', 'prompt', 'reply', 'first token', 'prompt tokens/s', 'reply tokens/s', 'together tokens/s'];
  const figure = (value: number | null, digits = 1) => (value === null ? '-' : value.toFixed(digits));
  const rows = measurements.map((one) => [
    String(one.streams),
    figure(one.promptTokens, 0),
    figure(one.replyTokens, 0),
    `${figure(one.firstTokenMs, 0)} ms`,
    figure(one.promptPerSecond),
    figure(one.replyPerSecond),
    figure(one.togetherPerSecond),
  ]);
  return formatTable([head, ...rows], { right: head.map((_, column) => column), colours: coloursFor(process.stdout) });
}

function readFlag(name: keyof typeof FLAGS, options: Record<string, unknown>): number {
  const { schema, fallback } = FLAGS[name];
  const result = v.safeParse(schema, options[name] ?? fallback);
  if (result.success) return result.output;
  throw new UsageError(`--${toFlag(name)} ${result.issues[0].message}`);
}

function toFlag(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
