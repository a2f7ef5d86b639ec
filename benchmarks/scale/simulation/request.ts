/** A turn that a replica has to answer. */
export interface SimulatedRequest {
  conversation: number;
  app: number;
  systemTokens: number;
  promptTokens: number;
  replyTokens: number;
  arrivedAtMs: number;
}
