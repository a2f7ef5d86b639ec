/** Which tools run in one chat. */
export interface ChatTools {
  calculator: boolean;
  /** True if models are told of the tools of the servers that are added. */
  servers: boolean;
  /** The consents that hold for the whole chat. */
  allowed: string[];
}

export const NO_CHAT_TOOLS: ChatTools = { calculator: false, servers: true, allowed: [] };
