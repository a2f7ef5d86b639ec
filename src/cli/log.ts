import { pino } from 'pino';
import type { Log } from '../core/log.ts';
import type { Config } from './config/settings.ts';
import { coloursFor } from './output.ts';
import { prettyLine } from './pretty-line.ts';

type Level = keyof Log;

/** Makes a log that writes to standard error: JSON for programs, or lines for people. Standard output is for the commands' own results. */
export function createLog({ logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>): Log {
  const isPretty = logFormat === 'pretty' || (logFormat === 'auto' && process.stderr.isTTY === true);
  return isPretty ? prettyLog(logLevel) : jsonLog(logLevel);
}

function jsonLog(level: string): Log {
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
  return {
    debug: (message, fields) => logger.debug(fields ?? {}, message),
    info: (message, fields) => logger.info(fields ?? {}, message),
    warn: (message, fields) => logger.warn(fields ?? {}, message),
    error: (message, fields) => logger.error(fields ?? {}, message),
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
