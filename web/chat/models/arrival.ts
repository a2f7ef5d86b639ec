import type { Said, Translate } from '../messages/translate.ts';
import { formatSeconds } from '../reply/figures.ts';
import type { ListedModel } from './model.ts';

/** A model that is being pulled or imported. Amounts are in bytes; `total` is null if it is not known. */
export interface Arrival {
  /** The source that the person named. */
  source: string;
  /** The current step, for people. */
  step: Said | string;
  completed: number;
  total: number | null;
  /** Null while it is not known. */
  bytesPerSecond: number | null;
  secondsLeft: number | null;
  /** `pull` can go on where it stopped; the file of an `import` is known to this page alone. */
  kind: 'pull' | 'import';
  paused: boolean;
  /** The reason why it failed, or null. It stays on the page until the person closes it. */
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

/** What the page has to know of a pull after a reload, so that it can go on. */
export type KeptArrival = Pick<Arrival, 'source' | 'completed' | 'total' | 'paused'>;

export function arrivalOf(source: string, kind: Arrival['kind'] = 'pull'): Arrival {
  const unknown = { completed: 0, total: null, bytesPerSecond: null, secondsLeft: null };
  return { source, step: { key: 'arrival.asking' }, ...unknown, kind, paused: false, failure: null };
}

/** The arrival as it stands still: it does not move, and waits for a person. */
export function stopped(arrival: Arrival, failure: string | null = null): Arrival {
  return {
    ...arrival,
    step: { key: 'arrival.pausedNow' },
    bytesPerSecond: null,
    secondsLeft: null,
    paused: failure === null,
    failure,
  };
}

/** Writes how far an arrival is in a few words: `42 %`. */
export function shareOf({ completed, total }: Pick<Arrival, 'completed' | 'total'>, t: Translate): string | null {
  return total === null || total === 0 ? null : t('common.percent', { share: Math.floor((completed / total) * 100) });
}

/** Writes its speed and the time that is left; '' while they are not known. */
export function paceOf({ bytesPerSecond, secondsLeft }: Arrival, t: Translate): string {
  return [
    ...(bytesPerSecond ? [t('common.perSecond', { size: { bytes: bytesPerSecond } })] : []),
    ...(secondsLeft !== null && secondsLeft > 0 ? [t('arrival.left', { time: formatSeconds(secondsLeft, t) })] : []),
  ].join(' · ');
}

export function withArrivalEvent(arrival: Arrival, event: ArrivalEvent): Arrival {
  switch (event.status) {
    case 'resolving':
      return arrival;
    case 'downloading': {
      const { file, completed, total, bytes_per_second: bytesPerSecond, seconds_left: secondsLeft } = event;
      return { ...arrival, step: file, completed, total, bytesPerSecond, secondsLeft };
    }
    case 'waiting':
      return { ...arrival, step: event.reason, bytesPerSecond: null, secondsLeft: null };
    case 'verifying':
      return {
        ...arrival,
        step: { key: 'arrival.checking', values: { file: event.file } },
        bytesPerSecond: null,
        secondsLeft: null,
      };
    case 'done':
      return {
        ...arrival,
        step: { key: 'arrival.done' },
        completed: arrival.total ?? arrival.completed,
        secondsLeft: 0,
      };
    default:
      return event satisfies never;
  }
}
