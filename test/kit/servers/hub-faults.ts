import type { IncomingMessage } from 'node:http';
import type { Fault } from './hub-content.ts';

/**
 * The kinds of request: `search` finds repositories, `info` tells a repository's commit, `list` its files, `resolve`
 * says where a file lies, and `content` fetches the file.
 */
export type Stage = 'search' | 'info' | 'list' | 'resolve' | 'content';

/** A request that a hub has received. */
export interface SeenRequest {
  stage: Stage;
  /** The path of the file; for `info` and `list` the repository, for `search` the words. */
  path: string;
  range: string | undefined;
  ifRange: string | undefined;
  authorization: string | undefined;
}

/** Notes the requests of a hub, and decides which of them go wrong. */
export interface FaultPlan {
  /** All requests so far, in order. */
  requests: SeenRequest[];
  /** Lets the next `times` requests of this stage and path go wrong. Faults of one path come one after another. */
  plan(stage: Stage, path: string, fault: Fault, times: number): void;
  /** Notes a request. Returns its fault, if one is planned for it. */
  note(stage: Stage, path: string, request: IncomingMessage): Fault | undefined;
}

export function createFaultPlan(): FaultPlan {
  const planned = new Map<string, { fault: Fault; left: number }[]>();
  const requests: SeenRequest[] = [];
  return {
    requests,
    plan(stage, path, fault, times) {
      const key = `${stage} ${path}`;
      planned.set(key, [...(planned.get(key) ?? []), { fault, left: times }]);
    },
    note(stage, path, { headers }) {
      const { range, authorization, 'if-range': ifRange } = headers;
      requests.push({ stage, path, range, authorization, ifRange: ifRange?.toString() });
      const next = planned.get(`${stage} ${path}`)?.find(({ left }) => left > 0);
      if (next) next.left -= 1;
      return next?.fault;
    },
  };
}
