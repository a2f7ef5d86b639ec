import { nameRefusal, type Refusal } from '../../kit/http.ts';
import { count } from '../../kit/terminal.ts';

/** What became of a request, as its client sees it. */
export type Outcome =
  | { kind: 'right' }
  /** A reply that differs from the undisturbed one. */
  | { kind: 'wrong'; detail: string }
  /** An error of the server. `expected` says that this request asked for it. */
  | { kind: 'refused'; refusal: Refusal; expected: boolean }
  /** The client went away on purpose. */
  | { kind: 'left' }
  /** A reply by a model whose file was replaced meanwhile: it is of neither file. */
  | { kind: 'mixed' }
  /** The connection broke, nothing came, or what came is no reply. */
  | { kind: 'broken'; detail: string };

/**
 * What a well-formed request may be refused with while engines are killed: it was in several dying engines, the breaker is open, or
 * too many wait.
 */
const EXPLAINED = ['engine_crashed', 'engine_unavailable', 'overloaded', 'insufficient_memory'];

/** Counts outcomes, and remembers what must not happen. */
export interface Tally {
  note(client: string, outcome: Outcome): void;
  /** Something is wrong that no request shows. */
  breach(what: string): void;
  readonly requests: number;
  readonly wrong: number;
  /** All requests, by client and outcome. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** All errors, by status and code. */
  readonly errors: ReadonlyMap<string, number>;
  readonly breaches: readonly string[];
}

/** @param alsoExplained further codes that well-formed requests of a client may be refused with */
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
