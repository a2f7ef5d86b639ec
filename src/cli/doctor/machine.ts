import { cpus, totalmem } from 'node:os';
import { usableCores } from '../../engine/node/cores.ts';
import { chooseHttp } from '../../server/http.ts';
import { formatBytes } from '../../utils/bytes.ts';
import type { Finding } from './finding.ts';

const LEAST_NODE = [20, 19] as const;
/** With less memory than this, in bytes, only the smallest models run. */
const LITTLE_MEMORY = 1e9;

/** Checks Node, the C library, the HTTP server, the processor and the memory. */
export function checkMachine(): Finding[] {
  return [checkNode(process.versions.node), platform(), checkHttp(), processor(), checkMemory()];
}

/** Checks a version of Node, such as `24.1.0`: a failure if Paddock needs a newer one. */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const fits = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
  const need = fits ? '' : `; Paddock needs ${LEAST_NODE.join('.')} or newer`;
  return { id: 'node', title: 'Node', status: fits ? 'ok' : 'fail', detail: `${version}${need}` };
}

function platform(): Finding {
  const { glibcVersionRuntime: glibc } = (process.report.getReport() as { header: { glibcVersionRuntime?: string } })
    .header;
  const library = process.platform === 'linux' ? (glibc ? `, glibc ${glibc}` : ', no glibc (musl?)') : '';
  return { id: 'platform', title: 'platform', status: 'info', detail: `${process.platform}-${process.arch}${library}` };
}

function checkHttp(): Finding {
  const { name, reason } = chooseHttp();
  const detail = reason === null ? name : `${name}, which takes more of the processor: ${reason}`;
  return { id: 'http', title: 'HTTP server', status: reason === null ? 'ok' : 'warn', detail };
}

function processor(): Finding {
  const model = cpus()[0]?.model.trim() || 'unknown processor';
  return { id: 'cpus', title: 'processor', status: 'info', detail: `${model}, ${usableCores().reason}` };
}

function checkMemory(): Finding {
  const total = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const free = process.availableMemory();
  return {
    id: 'memory',
    title: 'memory',
    status: free < LITTLE_MEMORY ? 'warn' : 'ok',
    detail: `${formatBytes(free)} available of ${formatBytes(total)}`,
  };
}
