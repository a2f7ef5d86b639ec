import { checkExposure } from '../../serve/config/exposure.ts';
import type { Config } from '../../serve/config/settings.ts';
import { tlsOf } from '../../serve/config/tls.ts';
import { listenErrorCode } from '../../serve/listen-failure.ts';
import { messageOf } from '../../utils/error-message.ts';
import { isPaddock, localUrl } from '../client/reach.ts';
import type { Finding } from './finding.ts';

/** Checks that the server could listen on the configured address. */
export async function checkAddress(config: Config): Promise<Finding> {
  const { host, port, socket } = config;
  const finding = { id: 'address', title: 'address' };
  try {
    checkExposure(config);
    tlsOf(config);
  } catch (error) {
    return { ...finding, status: 'fail', detail: messageOf(error) };
  }
  if (socket !== undefined) return { ...finding, status: 'ok', detail: `the Unix socket ${socket}` };
  if (await isPaddock(localUrl(config)))
    return { ...finding, status: 'ok', detail: `Paddock runs on ${localUrl(config)}` };
  const code = await listenErrorCode(host, port);
  if (code === undefined) return { ...finding, status: 'ok', detail: `${host}:${port} is free` };
  const reason = code === 'EADDRINUSE' ? 'something else uses it; choose another --port' : code;
  return { ...finding, status: 'fail', detail: `${host}:${port} can't be listened on: ${reason}` };
}
