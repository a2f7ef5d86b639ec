import type { ListedModel } from './model.ts';

/** A model that is being pulled or imported. Amounts are in bytes; `total` is null if it is not known. */
export interface Arrival {
  /** The source that the person named. */
  source: string;
  /** The current step, for people. */
  step: string;
  completed: number;
  total: number | null;
  secondsLeft: number | null;
  /** The reason why it failed, or null. It stays on the page until the person closes it. */
  failure: string | null;
}

/** The events of POST /v1/models/pull and /v1/models/import. */
export type ArrivalEvent =
  | { status: 'resolving' }
  | { status: 'downloading'; file: string; completed: number; total: number; seconds_left: number | null }
  | { status: 'waiting'; reason: string }
  | { status: 'verifying'; file: string }
  | { status: 'done'; already_here: boolean; model: ListedModel };

export function arrivalOf(source: string): Arrival {
  return { source, step: 'Asking for it…', completed: 0, total: null, secondsLeft: null, failure: null };
}

export function withArrivalEvent(arrival: Arrival, event: ArrivalEvent): Arrival {
  switch (event.status) {
    case 'resolving':
      return arrival;
    case 'downloading': {
      const { file, completed, total, seconds_left: secondsLeft } = event;
      return { ...arrival, step: file, completed, total, secondsLeft };
    }
    case 'waiting':
      return { ...arrival, step: event.reason, secondsLeft: null };
    case 'verifying':
      return { ...arrival, step: `Checking ${event.file}…`, secondsLeft: null };
    case 'done':
      return { ...arrival, step: 'Done.', completed: arrival.total ?? arrival.completed, secondsLeft: 0 };
    default:
      return event satisfies never;
  }
}
