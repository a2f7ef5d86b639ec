import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { writeTinyModel } from '../../test/kit/models/tiny-model.ts';
import { count, print, readNumber } from '../../test/kit/terminal.ts';
import { converse, type Turn } from './conversations.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { type Balance, haproxyVersion, startHaproxy } from './haproxy.ts';
import { askDuring, type Noted } from './load.ts';
import { quantile, sum } from './statistics.ts';

/**
 * Runs three Paddock servers behind HAProxy with deploy/haproxy: conversations by hash compared with round robin, a
 * rolling restart under load, and the crash of a replica. Exits with code 1 if a check fails.
 */
const { values } = parseArgs({
  options: {
    replicas: { type: 'string', default: '3' },
    conversations: { type: 'string', default: '30' },
    turns: { type: 'string', default: '6' },
    words: { type: 'string', default: '30' },
    slots: { type: 'string', default: '12' },
    clients: { type: 'string', default: '6' },
    model: { type: 'string' },
    seed: { type: 'string', default: '16' },
    parts: { type: 'string', default: 'balance,restart,kill' },
  },
});
const number = (flag: 'replicas' | 'conversations' | 'turns' | 'words' | 'slots' | 'clients' | 'seed') =>
  readNumber(flag, values[flag], 1);

const version = haproxyVersion();
if (version === null) {
  print('skipped: there is no haproxy on the path. Debian and Ubuntu have it as the package haproxy.');
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), 'paddock-scale-'));
const path = values.model ?? join(folder, 'tiny.gguf');
if (values.model === undefined) writeTinyModel(path, { contextLength: 4096 });
const model = basename(path, '.gguf');
const flags = [
  '--models',
  dirname(path),
  '--backend',
  'cpu',
  '--threads',
  '1',
  '--slots',
  values.slots,
  '--ctx-len',
  '4096',
];
const replyTokens = 16;
const breaches: string[] = [];
const hold = (is: boolean, breach: string) => {
  if (!is) breaches.push(breach);
};

print(
  `HAProxy ${version}, ${values.replicas} replicas with ${values.slots} slots of ${model}, ${cpus().length} cores of ${cpus()[0]?.model}, Node ${process.version}`,
);
await using fleet = await startFleet(number('replicas'), flags);
const ports = fleet.replicas.map(({ port }) => port);
const parts = values.parts.split(',');
try {
  if (parts.includes('balance')) await compareBalances();
  await using proxy = await startHaproxy(ports, 'conversation');
  const load = { url: proxy.url, model, clients: number('clients'), replyTokens };
  await sleep(1500);
  if (parts.includes('restart')) await restartAll(fleet, load);
  if (parts.includes('kill')) await killOne(fleet, load);
} finally {
  rmSync(folder, { recursive: true });
}
for (const breach of breaches) print(`BROKEN  ${breach}`);
print(breaches.length === 0 ? 'all held' : `${breaches.length} things did not hold`);
process.exitCode = breaches.length === 0 ? 0 : 1;

/** Each way to balance gets new servers, so that nothing is cached. */
async function compareBalances(): Promise<void> {
  print(
    `\n${values.conversations} conversations of ${values.turns} turns, ${values.clients} at a time, ${values.words} words a turn`,
  );
  print(
    '| Balance | prompt tokens | cached | share | cached from turn 2 on | TTFT p50, ms | TTFT p99, ms | TTFT p50 of the last turn | turns that changed the replica |',
  );
  print('|---|---|---|---|---|---|---|---|---|');
  const share: Record<string, number> = {};
  for (const balance of ['roundrobin', 'conversation'] satisfies Balance[]) {
    for (const replica of fleet.replicas) await fleet.restart(replica);
    await using proxy = await startHaproxy(ports, balance);
    await sleep(1500);
    for (const { port } of fleet.replicas) await warm(port);
    const { conversations, turns, words, clients, seed } = {
      conversations: number('conversations'),
      turns: number('turns'),
      words: number('words'),
      clients: number('clients'),
      seed: number('seed'),
    };
    const seen = await converse({
      url: proxy.url,
      model,
      count: conversations,
      turns,
      words,
      replyTokens,
      clients,
      seed,
    });
    share[balance] = sum(seen, ({ cachedTokens }) => cachedTokens) / sum(seen, ({ promptTokens }) => promptTokens);
    print(rowOf(balance, seen));
  }
  hold(
    (share.conversation ?? 0) > (share.roundrobin ?? 1),
    'the hash of the conversation caches no more than round robin',
  );
}

/** Sends a first request, which loads the model. */
async function warm(port: number): Promise<void> {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }], max_tokens: 1 });
  const headers = { 'content-type': 'application/json' };
  await (await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, { method: 'POST', headers, body })).text();
}

function rowOf(balance: string, seen: Turn[]): string {
  const later = seen.filter(({ turn }) => turn > 0);
  const last = seen.filter(({ turn }) => turn === number('turns') - 1);
  const [prompt, cached] = [sum(seen, (one) => one.promptTokens), sum(seen, (one) => one.cachedTokens)];
  const ttft = (of: Turn[], at: number) =>
    quantile(
      of.map(({ ttftMs }) => ttftMs),
      at,
    ).toFixed(0);
  const cells = [
    balance,
    prompt,
    cached,
    percent(cached / prompt),
    percent(sum(later, (one) => one.cachedTokens) / sum(later, (one) => one.promptTokens)),
    ttft(seen, 0.5),
    ttft(seen, 0.99),
    ttft(last, 0.5),
    `${moves(seen)} of ${later.length}`,
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Counts the turns that another replica answered than the previous turn. */
function moves(seen: Turn[]): number {
  const last = new Map<number, string>();
  let moved = 0;
  for (const { conversation, replica } of seen) {
    const before = last.get(conversation);
    if (before !== undefined && before !== replica) moved += 1;
    last.set(conversation, replica);
  }
  return moved;
}

async function restartAll(of: Fleet, load: Parameters<typeof askDuring>[0]): Promise<void> {
  const codes: (number | null)[] = [];
  const noted = await askDuring(load, async () => {
    await sleep(2000);
    for (const replica of of.replicas) {
      codes.push(await of.restart(replica));
      // The proxy checks the replicas every half second. After that the next one may be restarted.
      await sleep(2500);
    }
  });
  print(`\nRolling restart of ${of.replicas.length} replicas under ${load.clients} clients:`);
  tell(noted);
  const failed = noted.filter(({ outcome }) => outcome !== 'whole');
  hold(failed.length === 0, `${failed.length} requests failed during the rolling restart`);
  hold(noted.length > 50, `only ${noted.length} requests during the rolling restart`);
  hold(
    codes.every((code) => code === 0),
    `the replicas ended with codes ${codes.join(', ')}`,
  );
}

async function killOne(of: Fleet, load: Parameters<typeof askDuring>[0]): Promise<void> {
  const [victim] = of.replicas;
  if (!victim) return;
  for (const { port } of of.replicas) await warm(port);
  let killedAt = 0;
  const noted = await askDuring({ ...load, clients: load.clients * 3, replyTokens: 300 }, async (streaming) => {
    // The name of the first server in the configuration that `startHaproxy` makes.
    while (streaming('replica-1') < 2) await sleep(10);
    killedAt = performance.now();
    await of.kill(victim);
    await sleep(4000);
    await of.revive(victim);
    await sleep(3000);
  });
  print(`\nkill -9 of one of ${of.replicas.length} replicas under ${load.clients * 3} clients:`);
  tell(noted);
  const atKill = noted.filter(({ begunAt, ms }) => begunAt < killedAt && begunAt + ms > killedAt);
  print(`${atKill.length} requests were running:`);
  tell(atKill);
  const failed = noted.filter(({ outcome }) => outcome !== 'whole');
  const late = failed.filter(({ begunAt }) => begunAt > killedAt);
  print(`failed requests that began after the kill: ${late.length}`);
  hold(
    failed.every(({ outcome, stream }) => outcome === 'broken' && stream),
    'something else failed than streams that had begun',
  );
  hold(late.length === 0, `${late.length} requests that began after the kill failed`);
}

function tell(noted: Noted[]): void {
  const counts = new Map<string, number>();
  for (const { outcome, stream, detail } of noted)
    count(counts, `${stream ? 'stream' : 'whole reply'}: ${outcome}${detail && ` (${detail})`}`);
  for (const [name, times] of counts) print(`${String(times).padStart(7)}  ${name}`);
  print(
    `         longest ${Math.max(...noted.map(({ ms }) => ms)).toFixed(0)} ms, median ${quantile(
      noted.map(({ ms }) => ms),
      0.5,
    ).toFixed(0)} ms`,
  );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)}%`;
}
