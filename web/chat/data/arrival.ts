import type { ListedModel } from './model.ts';

/** A model on its way into the catalogue. Amounts are bytes; `total` is null where it is not known. */
export interface Arrival {
  /** What was asked for. */
  source: string;
  /** What happens just now, for people. */
  step: string;
  completed: number;
  total: number | null;
  secondsLeft: number | null;
  /** Why it ended; it stays to be read. */
  failure: string | null;
}

/** What POST /v1/models/pull and /v1/models/import say. */
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
