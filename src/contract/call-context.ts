/** What a call carries besides its content. */
export interface CallContext {
  /** The id of the API request that the call belongs to. The log lines of both ends have it. */
  requestId: string;
  /** Cancels the call when it is aborted. */
  signal: AbortSignal;
  /** Whom the call is for, where slots are shared fairly. It stays on this side of the wire, as do the figures. */
  party?: Party;
  /** Gets what the runner measures. */
  figures?: CallFigures;
}

/** One of those who share slots. */
export interface Party {
  name: string;
  /** A higher one gets free slots first. */
  priority: number;
}

export interface CallFigures {
  /** How long the call has waited for slots, in ms. */
  queuedMs: number;
}
