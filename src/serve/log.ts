import { pino } from 'pino';
import type { Log } from '../contract/log.ts';
import type { Config } from './config/settings.ts';
import { coloursFor } from './output.ts';
import { prettyLine } from './pretty-line.ts';

type Level = keyof Log;

/** Lines beyond this are written at once. */
const BUFFER_CHARACTERS = 8 * 1024;

/** Makes a log that writes to standard error: JSON for programs, or lines for people. Standard output is for the commands' own results. */
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
  /** The lines of one turn of the event loop go out together: a system call for each would cost more than all the rest of it. */
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

/** Writes what waits when the process ends. There is one listener for all logs: a process may start many servers, each with a log. */
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

/** The time of a line in JSON. Many lines are of one millisecond, and its text takes as long to make as the rest of a line. */
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
