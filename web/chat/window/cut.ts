/** Says that a message and all before it are left out of requests. It holds for every branch that goes on from there. */
export interface Cut {
  /** What the model gets in their place; null if it gets nothing. */
  summary: string | null;
}

/** The beginning of the shown branch that the model does not get. */
export interface LeftOut extends Cut {
  /** The message that has the cut. */
  messageId: string;
  /** How many of the shown turns are left out, counted from the first. */
  turns: number;
}
