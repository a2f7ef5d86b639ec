import { setTimeout as sleep } from 'node:timers/promises';
import { createDice, type Dice } from '../../kit/dice.ts';
import { readText, send } from '../../kit/http.ts';
import { isAlive, residentMegabytes } from '../../kit/process.ts';
import { enginePids } from '../../kit/servers/engines.ts';
import { count } from '../../kit/terminal.ts';
import { ask, messageOf, type Pause } from './asking.ts';
import { CLIENTS, fetchNumbers, judge, keyOf, type Scene } from './clients.ts';
import { CONTENTS, createVictim, type Fault, hitEngine, VICTIM, type VictimFile } from './faults.ts';
import { pullOnce } from './pulling.ts';
import { makeQuestions, type Question, questionFor } from './questions.ts';
import { createTally, type Tally } from './tally.ts';
import { keepLog, startWorld, type World, waitForModel } from './world.ts';

export interface ChaosOptions {
  seed: number;
  /**
   * How long clients and faults run, in ms. The replies without faults are read before, and the server is stopped
   * afterwards.
   */
  ms: number;
  /** The number of concurrent clients. */
  clients: number;
  /** The number of different questions, each of which is asked once before the faults. */
  questions: number;
  killEveryMs: number;
  /** The server's `main.js`. */
  main: string;
  progress: (line: string) => void;
}

export interface ChaosReport {
  outcomes: ReadonlyMap<string, number>;
  errors: ReadonlyMap<string, number>;
  faults: ReadonlyMap<string, number>;
  /** Figures, for people. */
  lines: string[];
  /** The violations of what the server promises. */
  breaches: readonly string[];
}

/** The error codes that requests to the victim may get while its file changes. */
const VICTIM_MAY = { [VICTIM]: ['model_load_failed', 'model_not_found', 'model_changed'] };
/** The most that the memory of the server may grow, in MB. Half of it is heap that bodies of 32 MB leave behind. */
const MOST_GROWTH_MB = 200;
/**
 * After the clients have left, all slots are free within this time, in ms. It includes the time to notice a stopped
 * engine.
 */
const SETTLE_MS = 90_000;
/** The server exits within this time after SIGTERM, in ms. Its grace time is 10 s. */
const EXIT_MS = 20_000;

/** Runs clients and faults against a new server for a time, then stops it under load. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const dice = createDice(options.seed);
  const tally = createTally(VICTIM_MAY);
  const lines: string[] = [];
  await using world = await startWorld(options.main, ['--slots', '4']);
  const victim = createVictim(world.models, world.aside);
  victim.replace(0);
  const { url, pid } = world.server;

  const pauses: Pause[] = [];
  const scene = await observe(world, makeQuestions(dice, options.questions), (more) => pauses.push(...more));
  const contents = await observeContents(url);
  options.progress(`${scene.expected.size + scene.vectors.length} undisturbed replies taken`);

  const until = performance.now() + options.ms;
  const memory = [{ at: 'start', mb: residentMegabytes(pid) }];
  const middle = setTimeout(() => memory.push({ at: 'middle', mb: residentMegabytes(pid) }), options.ms / 2);
  const faults: Fault[] = [];
  const health = watchHealth(url, until, tally);
  const ticker = setInterval(() => {
    const left = Math.round((until - performance.now()) / 1000);
    options.progress(
      `${left} s left, ${tally.requests} requests, ${faults.length} faults, ${tally.breaches.length} broken`,
    );
  }, 30_000);
  await Promise.all([
    ...Array.from({ length: options.clients }, () => runClient(scene, dice.fork(), until, tally)),
    pullAgainAndAgain(world, dice.fork(), until, tally),
    askTheVictim(url, contents, until, tally),
    harmEngines(pid, dice.fork(), until, options.killEveryMs, faults),
    harmFiles(victim, dice.fork(), until, faults),
  ]);
  clearTimeout(middle);
  clearInterval(ticker);

  const settled = await settle(url, tally);
  memory.push({ at: 'end', mb: residentMegabytes(pid) });
  const growth = (memory.at(-1)?.mb ?? 0) - (memory[0]?.mb ?? 0);
  if (growth > MOST_GROWTH_MB) tally.breach(`the server's memory grew by ${growth} MB, more than ${MOST_GROWTH_MB}`);

  lines.push(`requests ${tally.requests}, wrong answers ${tally.wrong}`);
  lines.push(`slots were free ${Math.round(settled)} ms after the last client`);
  lines.push(`/health: ${await health}`);
  lines.push(...describePauses(pauses, faults));
  lines.push(`resident memory of the server, MB: ${memory.map(({ at, mb }) => `${at} ${mb}`).join(', ')}`);
  lines.push(await stopUnderLoad(world, scene, tally));
  if (tally.breaches.length > 0) lines.push(`log: ${keepLog(world, `seed-${options.seed}`)}`);
  return {
    outcomes: tally.outcomes,
    errors: tally.errors,
    faults: countFaults(faults),
    lines,
    breaches: tally.breaches,
  };
}

/** Reads the replies without faults, one after another. Throws if a question is refused. */
async function observe({ server }: World, questions: Question[], notePauses: Scene['notePauses']): Promise<Scene> {
  const expected = new Map<string, string>();
  for (const question of questions) expected.set(keyOf(question), await replyOf(server.url, question));
  const vectors: Scene['vectors'] = [];
  for (const question of vectorQuestions()) {
    const numbers = await fetchNumbers(server.url, question);
    if ('kind' in numbers) throw new Error(`no numbers for ${keyOf(question)}: ${JSON.stringify(numbers)}`);
    vectors.push({ question, numbers });
  }
  return { url: server.url, questions, expected, vectors, notePauses };
}

function vectorQuestions(): Question[] {
  return [
    { path: '/v1/embeddings', body: { model: 'embed/mini', input: 'hello world' } },
    { path: '/v1/embeddings', body: { model: 'embed/mini', input: ['the', 'naïve 漢字', 'and 😀'.repeat(20)] } },
    { path: '/v1/rerank', body: { model: 'rerank/mini', query: 'hello', documents: ['the world', 'of that', 'in'] } },
  ];
}

/** Reads the replies of the models whose contents replace the victim's file. */
async function observeContents(url: string): Promise<string[]> {
  const replies: string[] = [];
  for (const id of CONTENTS) {
    await waitForModel(url, id);
    replies.push(await replyOf(url, questionFor(id)));
  }
  return replies;
}

async function replyOf(url: string, question: Question): Promise<string> {
  const reply = await ask(url, question, { stream: false });
  if (reply.kind !== 'whole') throw new Error(`no undisturbed reply to ${keyOf(question)}: ${JSON.stringify(reply)}`);
  return reply.gist;
}

async function runClient(scene: Scene, dice: Dice, until: number, tally: Tally): Promise<void> {
  while (performance.now() < until) {
    const client = dice.weighted(CLIENTS);
    tally.note(client.name, await client.run(scene, dice));
    await sleep(dice.below(100));
  }
}

async function pullAgainAndAgain(world: World, dice: Dice, until: number, tally: Tally): Promise<void> {
  while (performance.now() < until) {
    tally.note('pull', await pullOnce(world, dice));
    await sleep(dice.below(4000));
  }
}

async function askTheVictim(url: string, replies: string[], until: number, tally: Tally): Promise<void> {
  while (performance.now() < until) {
    const reply = await ask(url, questionFor(VICTIM), { stream: true });
    const outcome = judge(
      reply,
      replies.find((known) => reply.kind === 'whole' && known === reply.gist),
    );
    tally.note(VICTIM, outcome.kind === 'wrong' ? { kind: 'mixed' } : outcome);
    await sleep(300);
  }
}

async function harmEngines(pid: number, dice: Dice, until: number, everyMs: number, faults: Fault[]): Promise<void> {
  for (let next = performance.now() + everyMs; next < until; next += everyMs) {
    await sleep(next - performance.now());
    const fault = hitEngine(pid, dice);
    if (fault) faults.push(fault);
  }
}

/** Damages the victim's file every 20 s and restores it 3 s later. */
async function harmFiles(victim: VictimFile, dice: Dice, until: number, faults: Fault[]): Promise<void> {
  for (let content = 0; performance.now() + 20_000 < until; content++) {
    await sleep(17_000);
    faults.push(victim.damage(dice));
    await sleep(3000);
    victim.replace(content);
  }
}

/** Requests /health all the time. Returns a line about the answers. */
async function watchHealth(url: string, until: number, tally: Tally): Promise<string> {
  const times: number[] = [];
  while (performance.now() < until) {
    const start = performance.now();
    try {
      const reply = await send(url, { path: '/health' });
      await readText(reply);
      if (reply.statusCode !== 200) tally.breach(`/health answered ${reply.statusCode}`);
    } catch (error) {
      tally.breach(`/health did not answer: ${messageOf(error)}`);
    }
    times.push(performance.now() - start);
    await sleep(50);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => Math.round(times[Math.floor(share * (times.length - 1))] ?? 0);
  return `${times.length} times, median ${at(0.5)} ms, 99% within ${at(0.99)} ms, longest ${at(1)} ms`;
}

/** Waits until no slot is busy and no request waits. Returns how long that took, in ms. */
async function settle(url: string, tally: Tally): Promise<number> {
  const start = performance.now();
  let state = '';
  while (performance.now() - start < SETTLE_MS) {
    state = await readText(await send(url, { path: '/health' }));
    const { models, moving } = JSON.parse(state) as { models: { busy: number; waiting: number }[]; moving: unknown[] };
    if (moving.length === 0 && models.every(({ busy, waiting }) => busy === 0 && waiting === 0))
      return performance.now() - start;
    await sleep(200);
  }
  tally.breach(`slots leaked: ${state}`);
  return performance.now() - start;
}

/** Returns the longest pauses, grouped by the fault: a stopped engine is noticed after 30 s of silence. */
function describePauses(pauses: Pause[], faults: Fault[]): string[] {
  const hit = (pause: Pause, names: (name: string) => boolean) =>
    faults.some(({ at, name }) => names(name) && at > pause.at - 1000 && at < pause.at + pause.ms);
  const longest = (title: string, of: Pause[]) =>
    `${title}: ${of.length}, longest ${Math.round(Math.max(0, ...of.map(({ ms }) => ms)))} ms`;
  const stopped = pauses.filter((pause) => hit(pause, (name) => name === 'SIGSTOP'));
  const killed = pauses.filter((pause) => !stopped.includes(pause) && hit(pause, (name) => name.startsWith('SIG')));
  const others = pauses.filter((pause) => !stopped.includes(pause) && !killed.includes(pause));
  return [
    longest('pauses in streams of more than 0.2 s, while an engine was killed', killed),
    longest('while an engine was stopped (SIGSTOP)', stopped),
    longest('at other times', others),
  ];
}

/** Sends SIGTERM while streams run. No reply may be wrong, and the server and its engines must end in time. */
async function stopUnderLoad({ server }: World, scene: Scene, tally: Tally): Promise<string> {
  const engines = enginePids(server.pid);
  const running = scene.questions.slice(0, 16).map(async (question) => {
    const reply = await ask(server.url, question, { stream: true });
    return judge(reply, scene.expected.get(keyOf(question)));
  });
  await sleep(300);
  const start = performance.now();
  const code = await Promise.race([server.stop(), sleep(EXIT_MS, 'none' as const)]);
  const took = Math.round(performance.now() - start);
  if (code !== 0) tally.breach(`after SIGTERM the server's exit code was ${code} after ${took} ms`);
  const outcomes = new Map<string, number>();
  for (const outcome of await Promise.all(running)) {
    const name = outcome.kind === 'refused' ? `refused (${outcome.refusal.code})` : outcome.kind;
    count(outcomes, name);
    if (outcome.kind === 'wrong') tally.note('at SIGTERM', outcome);
  }
  const left = engines.filter(isAlive);
  if (left.length > 0) tally.breach(`${left.length} engines outlived the server`);
  return `SIGTERM under load: exit code ${code} after ${took} ms; streams: ${[...outcomes].map(([name, times]) => `${times} ${name}`).join(', ')}`;
}

function countFaults(faults: Fault[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { name } of faults) count(counts, name);
  return counts;
}
