import type { ListedModel } from '../../../src/contract/models/model.ts';
import type { Said, Translate } from '../messages/translate.ts';
import { formatSeconds } from '../reply/figures.ts';

/** A model that is being pulled or imported. Amounts are in bytes; `total` is null if it is not known. */
export interface Arrival {
  /** The source that the person typed or chose. */
  source: string;
  /** The current step, for people. */
  step: Said | string;
  completed: number;
  total: number | null;
  /** Null while it is not known. */
  bytesPerSecond: number | null;
  secondsLeft: number | null;
  /** A `pull` can continue where it stopped. An `import` can't after a reload, because only this page has the file. */
  kind: 'pull' | 'import';
  paused: boolean;
  /** The reason for a failure; null if there is none. It is shown until the person closes it. */
  failure: string | null;
}

/** The events of POST /v1/models/pull and /v1/models/import. */
export type ArrivalEvent =
  | { status: 'resolving' }
  | {
      status: 'downloading';
      file: string;
      completed: number;
      total: number;
      bytes_per_second: number;
      seconds_left: number | null;
    }
  | { status: 'waiting'; reason: string }
  | { status: 'verifying'; file: string }
  | { status: 'done'; already_here: boolean; model: ListedModel };

/** The fields of a pull that are stored, so that it continues after a reload. */
export type KeptArrival = Pick<Arrival, 'source' | 'completed' | 'total' | 'paused'>;

/** The step of an import. It does not name the file, which is the source that stands above. */
const COPYING: Said = { key: 'adding.copying' };

/** Returns a pull or import that has just begun. */
export function arrivalOf(source: string, kind: Arrival['kind'] = 'pull'): Arrival {
  const unknown = { completed: 0, total: null, bytesPerSecond: null, secondsLeft: null };
  const step = kind === 'import' ? COPYING : ({ key: 'adding.asking' } as const);
  return { source, step, ...unknown, kind, paused: false, failure: null };
}

/** Returns the arrival as paused or failed: it has no speed, and waits for a person. */
export function stopped(arrival: Arrival, failure: string | null = null): Arrival {
  return {
    ...arrival,
    step: { key: 'adding.pausedNow' },
    bytesPerSecond: null,
    secondsLeft: null,
    paused: failure === null,
    failure,
  };
}

/** Returns the completed share of an arrival as text: `42 %`; null if the total is not known. */
export function shareOf({ completed, total }: Pick<Arrival, 'completed' | 'total'>, t: Translate): string | null {
  return total === null || total === 0 ? null : t('common.percent', { share: Math.floor((completed / total) * 100) });
}

/** Returns the speed and the remaining time as text; '' while they are not known. */
export function paceOf({ bytesPerSecond, secondsLeft }: Arrival, t: Translate): string {
  return [
    ...(bytesPerSecond ? [t('common.perSecond', { size: { bytes: bytesPerSecond } })] : []),
    ...(secondsLeft !== null && secondsLeft > 0 ? [t('arrival.left', { time: formatSeconds(secondsLeft, t) })] : []),
  ].join(' · ');
}

/** Returns the arrival after an event of its stream. */
export function withArrivalEvent(arrival: Arrival, event: ArrivalEvent): Arrival {
  switch (event.status) {
    case 'resolving':
      return arrival;
    case 'downloading': {
      const { file, completed, total, bytes_per_second: bytesPerSecond, seconds_left: secondsLeft } = event;
      const step = arrival.kind === 'import' ? COPYING : file;
      return { ...arrival, step, completed, total, bytesPerSecond, secondsLeft };
    }
    case 'waiting':
      return { ...arrival, step: event.reason, bytesPerSecond: null, secondsLeft: null };
    case 'verifying':
      return {
        ...arrival,
        step:
          arrival.kind === 'import'
            ? { key: 'adding.checkingIt' }
            : { key: 'adding.checking', values: { file: event.file } },
        bytesPerSecond: null,
        secondsLeft: null,
      };
    case 'done':
      return {
        ...arrival,
        step: { key: 'adding.done' },
        completed: arrival.total ?? arrival.completed,
        secondsLeft: 0,
      };
    default:
      return event satisfies never;
  }
}
