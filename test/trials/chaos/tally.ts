import { nameRefusal, type Refusal } from '../../kit/http.ts';
import { count } from '../../kit/terminal.ts';

/** The outcome of a request for its client. */
export type Outcome =
  | { kind: 'right' }
  /** A reply that differs from the reply without faults. */
  | { kind: 'wrong'; detail: string }
  /** An error response. `expected` is true if the request was meant to fail. */
  | { kind: 'refused'; refusal: Refusal; expected: boolean }
  /** The client disconnected on purpose. */
  | { kind: 'left' }
  /** A reply during which the model's file was replaced: it equals the reply of neither file. */
  | { kind: 'mixed' }
  /** The connection broke, no reply came, or the reply is malformed. */
  | { kind: 'broken'; detail: string };

/**
 * The codes with which a valid request may be refused while engines are killed: it was running in several crashes, the
 * breaker is open, or the queue is full.
 */
const EXPLAINED = ['engine_crashed', 'engine_unavailable', 'overloaded', 'insufficient_memory'];

/** Counts outcomes and collects violations. */
export interface Tally {
  note(client: string, outcome: Outcome): void;
  /** Adds a violation that is not the outcome of a request. */
  breach(what: string): void;
  readonly requests: number;
  readonly wrong: number;
  /** All requests, by client and outcome. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** All errors, by status and code. */
  readonly errors: ReadonlyMap<string, number>;
  readonly breaches: readonly string[];
}

/** Makes an empty tally. `alsoExplained` has more codes with which valid requests may be refused, by client. */
export function createTally(alsoExplained: Record<string, string[]> = {}): Tally {
  const outcomes = new Map<string, number>();
  const errors = new Map<string, number>();
  const breaches: string[] = [];
  let requests = 0;
  let wrong = 0;

  const isExplained = (client: string, code: string | null) =>
    code !== null && (EXPLAINED.includes(code) || (alsoExplained[client] ?? []).includes(code));

  const breachOf = (client: string, outcome: Outcome): string | null => {
    switch (outcome.kind) {
      case 'wrong':
        return `wrong answer: ${outcome.detail}`;
      case 'broken':
        return `broken: ${outcome.detail}`;
      case 'refused': {
        const { code, message } = outcome.refusal;
        return outcome.expected || isExplained(client, code) ? null : `${nameRefusal(outcome.refusal)}: ${message}`;
      }
      default:
        return null;
    }
  };

  return {
    note(client, outcome) {
      requests += 1;
      count(outcomes, `${client}: ${outcome.kind}`);
      if (outcome.kind === 'wrong') wrong += 1;
      if (outcome.kind === 'refused') count(errors, nameRefusal(outcome.refusal));
      const breach = breachOf(client, outcome);
      if (breach !== null) breaches.push(`${client}: ${breach}`);
    },
    breach: (what) => void breaches.push(what),
    get requests() {
      return requests;
    },
    get wrong() {
      return wrong;
    },
    outcomes,
    errors,
    breaches,
  };
}
