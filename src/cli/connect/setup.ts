/** The facts about a server and one of its models that another program needs. */
export interface Facts {
  /** The server's URL, without a slash at the end. */
  url: string;
  /** The key to send; null if the server needs none. */
  key: string | null;
  model: string;
  /** The context window, in tokens. */
  contextLength: number;
}

/** A file of settings that a program reads. */
export interface SettingsFile {
  /** The path, relative to the home of the user. */
  path: string;
  /** JSON is merged into an existing file. Other formats are written only if there is no file. */
  content: { format: 'json'; value: object } | { format: 'text'; text: string };
}

/** The settings by which a program uses a server: environment variables, a file, or steps for the user. */
export interface Setup {
  variables?: Record<string, string>;
  file?: SettingsFile;
  steps?: string[];
}

/** A program that can use Paddock. */
export interface Program {
  title: string;
  /** True for a coding agent or a similar program, which calls tools and sends long prompts. */
  agent: boolean;
  setup: (facts: Facts) => Setup;
}

/** A key for clients that refuse to work without one. A server without keys accepts any key. */
export const ANY_KEY = 'none';
