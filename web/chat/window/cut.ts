/** Marks a message: it and all messages before it are left out of requests, on every branch that continues from it. */
export interface Cut {
  /** The summary that the model gets instead; null for none. */
  summary: string | null;
}

/** The first part of the shown branch, which the model does not get. */
export interface LeftOut extends Cut {
  /** The id of the message that has the cut. */
  messageId: string;
  /** The number of shown turns that are left out, counted from the first. */
  turns: number;
}
