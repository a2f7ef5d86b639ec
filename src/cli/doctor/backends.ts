import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BackendName } from '../../contract/engine-info.ts';
import type { Gpu } from '../../engine/gpu.ts';
import { programFile } from '../../package-root.ts';
import { createFindGpu, type FindGpu } from '../../pool/load/find-gpu.ts';
import { describeEnd } from '../../pool/process/last-words.ts';
import { formatBytes } from '../../utils/bytes.ts';
import type { Finding } from './finding.ts';

/** The result of a probe. `detail` is the name of the device, or the reason why there is none. */
export interface ProbeResult {
  ok: boolean;
  detail: string;
  /** The GPU that was found, if it was looked for. */
  gpu?: Gpu;
}

/** The backends in the order in which `auto` tries them. */
const BACKENDS: { name: BackendName; title: string }[] = [
  { name: 'gpu', title: 'GPU' },
  { name: 'cpu', title: 'native CPU build' },
  { name: 'wasm', title: 'WebAssembly' },
];

const PROBE_FILE = fileURLToPath(programFile('probe'));
const PROBE_TIMEOUT_MS = 60_000;

/** Probes all backends, and finds out which one a server would use. */
export async function checkBackends(wanted: 'auto' | BackendName): Promise<{ findings: Finding[]; gpu: Gpu | null }> {
  // Two probes at once would disturb each other's measurement of free memory.
  const results: (ProbeResult & { name: BackendName; title: string })[] = [];
  for (const backend of BACKENDS) {
    const { name } = backend;
    results.push({ ...backend, ...(name === 'gpu' ? await probeGpus(createFindGpu()) : await probeBackend(name)) });
  }
  const findings = [
    ...results.map(({ name, title, ok, detail }) => ({
      id: name,
      title,
      status: ok ? ('ok' as const) : name === wanted ? ('fail' as const) : ('info' as const),
      detail,
    })),
    choose(wanted, results),
  ];
  return { findings, gpu: results.find(({ gpu }) => gpu)?.gpu ?? null };
}

/** Returns the backend that a server would use, and why it would not use the backends before it. */
export function choose(wanted: 'auto' | BackendName, results: (ProbeResult & { name: BackendName })[]): Finding {
  const candidates = results.filter(({ name }) => wanted === 'auto' || name === wanted);
  const chosen = candidates.find(({ ok }) => ok);
  const passedOver = candidates
    .slice(0, chosen ? candidates.indexOf(chosen) : candidates.length)
    .map(({ name, detail }) => `${name} passed over: ${detail}`);
  const order =
    wanted === 'auto' ? 'auto takes the first that works of gpu, cpu and wasm' : `--backend ${wanted} is set`;
  return {
    id: 'backend',
    title: 'would run on',
    status: chosen ? 'ok' : 'fail',
    detail: [chosen ? `${chosen.name} (${order})` : `nothing (${order})`, ...passedOver].join('; '),
  };
}

/** Looks for a usable GPU in the way of the server. */
export async function probeGpus(findGpu: FindGpu): Promise<ProbeResult> {
  const { gpu, passedOver } = await findGpu();
  if (!gpu) return { ok: false, detail: passedOver.join('; ') };
  const { runtime, names, memory } = gpu;
  const free = `${formatBytes(memory.free)} free of ${formatBytes(memory.total)}`;
  const others = passedOver.map((reason) => `; passed over: ${reason}`).join('');
  return { ok: true, gpu, detail: `${runtime}: ${names.join(', ')}, ${free}${others}` };
}

/** Probes the CPU or WebAssembly in another process. If that process crashes, the result says so. */
export function probeBackend(name: 'cpu' | 'wasm', file = PROBE_FILE): Promise<ProbeResult> {
  return new Promise((resolve) => {
    execFile(process.execPath, [file, name], { timeout: PROBE_TIMEOUT_MS }, (error, stdout, stderr) => {
      const line = stdout.split('\n').find((text) => text.startsWith('{"ok":'));
      if (line !== undefined) resolve(JSON.parse(line));
      else if (error?.killed) resolve({ ok: false, detail: `it did not start up within ${PROBE_TIMEOUT_MS / 1000} s` });
      else resolve({ ok: false, detail: describeEnd(error, stderr) });
    });
  });
}
