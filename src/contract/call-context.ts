/** The data that goes with a call to the runner, besides its content. */
export interface CallContext {
  /** The id of the API request that the call belongs to. The log lines of both ends have it. */
  requestId: string;
  /** Cancels the call when it is aborted. */
  signal: AbortSignal;
  /** The party whose share of the slots the call uses. It does not cross the wire, and neither do `figures`. */
  party?: Party;
  /** The object into which the runner writes its measurements. */
  figures?: CallFigures;
}

/** A user of the slots: the slots are shared fairly between parties. An API key is a party. */
export interface Party {
  name: string;
  /** A party of higher priority gets free slots first. */
  priority: number;
  /**
   * Present if the call is work in the background. It is called, once, when a caller of higher priority waits for slots
   * that the call holds, and should end the call, which can be made again.
   */
  giveWay?: () => void;
}

export interface CallFigures {
  /** How long the call has waited for slots, in ms. */
  queuedMs: number;
}
