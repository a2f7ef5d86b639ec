import { pino } from 'pino';
import type { Log } from '../contract/log.ts';
import type { Config } from './config/settings.ts';
import { coloursFor } from './output.ts';
import { prettyLine } from './pretty-line.ts';

type Level = keyof Log;

/** The log is written at once when more characters than this wait. */
const BUFFER_CHARACTERS = 8 * 1024;

/** Makes a log that writes to standard error: JSON for programs, or lines for people. Standard output is for the results of commands. */
export function createLog({ logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>): Log {
  const isPretty = logFormat === 'pretty' || (logFormat === 'auto' && process.stderr.isTTY === true);
  return isPretty ? prettyLog(logLevel) : jsonLog(logLevel);
}

function jsonLog(level: string): Log {
  const destination = pino.destination({ dest: 2, sync: true, minLength: BUFFER_CHARACTERS });
  const logger = pino({ level, base: null, timestamp: createClock() }, destination);
  let isWaiting = false;
  const flush = () => {
    isWaiting = false;
    destination.flushSync();
  };
  flushAtExit(flush);
  /** Writes all lines of one turn of the event loop together: a system call for each line would cost more than everything else. */
  const writer =
    (name: Level): Log[Level] =>
    (message, fields) => {
      logger[name](fields ?? {}, message);
      if (isWaiting) return;
      isWaiting = true;
      setImmediate(flush);
    };
  return { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') };
}

/** Writes the waiting lines when the process ends. All logs share one listener, since a process may start many servers. */
const flushAtExit = createExitList();

function createExitList(): (flush: () => void) => void {
  const flushes: (() => void)[] = [];
  return (flush) => {
    if (flushes.push(flush) === 1)
      process.on('exit', () => {
        for (const each of flushes) each();
      });
  };
}

/** Returns the time of a line as JSON. The text is kept for all lines of one millisecond: making it takes half the time of a line. */
function createClock(): () => string {
  let at = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== at) {
      at = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}

function prettyLog(level: string): Log {
  const colours = coloursFor(process.stderr);
  const { levels } = pino;
  const least = levels.values[level] ?? Number.POSITIVE_INFINITY;
  const writer =
    (name: Level): Log[Level] =>
    (message, fields = {}) => {
      if ((levels.values[name] ?? 0) < least) return;
      process.stderr.write(`${prettyLine({ at: new Date(), level: name, message, fields }, colours)}\n`);
    };
  return { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') };
}
