/** The facts about a server and one of its models that another program needs. */
export interface Facts {
  /** The server's URL, without a slash at the end. */
  url: string;
  /** The key to send; null if the server needs none. */
  key: string | null;
  model: string;
  /** In tokens. */
  contextLength: number;
}

/** A file of settings that a program reads. */
export interface SettingsFile {
  /** Relative to the user's home. */
  path: string;
  /** JSON is merged into a file that is there already; other formats are only written where there is no file yet. */
  content: { format: 'json'; value: object } | { format: 'text'; text: string };
}

/** What a program needs to use a server: environment variables, a file of settings, or steps for its user. */
export interface Setup {
  variables?: Record<string, string>;
  file?: SettingsFile;
  steps?: string[];
}

/** A program that can use Paddock. */
export interface Program {
  title: string;
  /** True if it works by calling tools with long prompts, as coding agents do. */
  agent: boolean;
  setup: (facts: Facts) => Setup;
}

/** Many clients insist on some key. A server without keys takes any. */
export const ANY_KEY = 'none';
