import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';

/** The input and output of a conversation. */
export interface Terminal {
  /** Returns the next line without its line end; null at the end of the input or after Ctrl-C. */
  readLine(prompt: string): Promise<string | null>;
  write(text: string): void;
  /** Runs something that Ctrl-C aborts. Text typed meanwhile is not shown; it becomes the next line. */
  interruptible<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T>;
  close(): void;
}

export interface TerminalOptions {
  input: Readable;
  output: Writable & { columns?: number };
  /** True if both streams are a terminal. Keys are read one by one then, with history and completion. */
  interactive: boolean;
  /** The completions of the tab key. */
  completions: string[];
}

/** Opens a terminal that reads lines. It keeps the process alive until `close`. */
export function openTerminal({ input, output, interactive, completions }: TerminalOptions): Terminal {
  const lines: string[] = [];
  let waiting: ((line: string | null) => void) | undefined;
  let ended = false;
  let running: AbortController | undefined;

  const screen = new Writable({
    write(chunk, _encoding, done) {
      if (!running) output.write(chunk);
      done();
    },
  });
  // Readline needs the width to wrap long lines.
  Object.defineProperty(screen, 'columns', { get: () => output.columns });
  const readline = createInterface({
    input,
    output: screen,
    terminal: interactive,
    completer: (line: string) => [line === '' ? [] : completions.filter((name) => name.startsWith(line)), line],
  });

  const answer = (line: string | null) => {
    waiting?.(line);
    waiting = undefined;
  };
  readline.on('line', (line) => (waiting ? answer(line) : lines.push(line)));
  readline.on('close', () => {
    ended = true;
    answer(null);
  });
  readline.on('SIGINT', () => (running ? running.abort() : answer(null)));

  return {
    readLine(prompt) {
      readline.setPrompt(prompt);
      const ahead = lines.shift();
      if (ahead !== undefined) {
        output.write(`${prompt}${ahead}\n`);
        return Promise.resolve(ahead);
      }
      if (ended) return Promise.resolve(null);
      readline.prompt(true);
      return new Promise((resolve) => {
        waiting = resolve;
      });
    },
    write: (text) => void output.write(text),
    async interruptible(run) {
      running = new AbortController();
      try {
        return await run(running.signal);
      } finally {
        running = undefined;
      }
    },
    close: () => readline.close(),
  };
}
