/** The tools that run in a chat. */
export interface ChatTools {
  calculator: boolean;
  /** True if the model gets the tools of the added servers. */
  servers: boolean;
  /** The consents for the whole chat: see `RunnableTool.consent`. */
  allowed: string[];
}

export const NO_CHAT_TOOLS: ChatTools = { calculator: false, servers: true, allowed: [] };
