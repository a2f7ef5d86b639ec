import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { TlsFiles } from '../../server/exchange.ts';
import { UsageError } from '../errors.ts';
import { readGivenFile } from './given-file.ts';
import type { Config } from './settings.ts';

/** A certificate and the private key that belongs to it. */
export interface Tls extends TlsFiles {
  /** The time at which the certificate expires. */
  validTo: Date;
}

/**
 * Checks the certificate and the key of the configuration. Returns undefined if neither is configured. Throws a `UsageError` if only one
 * is configured, if one can't be read, if they do not belong together, or if the server listens on a Unix socket.
 */
export function tlsOf({ tlsCert, tlsKey, socket }: Pick<Config, 'tlsCert' | 'tlsKey' | 'socket'>): Tls | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsKey === undefined) throw new UsageError('--tls-cert needs --tls-key, the private key of the certificate');
  if (tlsCert === undefined) throw new UsageError('--tls-key needs --tls-cert, the certificate of the key');
  if (socket !== undefined)
    throw new UsageError('--socket and --tls-cert exclude each other: let the proxy at the socket speak TLS');
  const certificate = parseCertificate(tlsCert);
  if (!certificate.checkPrivateKey(parseKey(tlsKey)))
    throw new UsageError(`${tlsKey}, the file of --tls-key, is not the key of the certificate in ${tlsCert}`);
  return { cert: tlsCert, key: tlsKey, validTo: new Date(certificate.validTo) };
}

function parseCertificate(file: string): X509Certificate {
  const pem = readGivenFile(file, 'the file of --tls-cert');
  try {
    return new X509Certificate(pem);
  } catch {
    throw new UsageError(`${file}, the file of --tls-cert, holds no certificate in PEM`);
  }
}

function parseKey(file: string): KeyObject {
  const pem = readGivenFile(file, 'the file of --tls-key');
  try {
    return createPrivateKey(pem);
  } catch {
    throw new UsageError(`${file}, the file of --tls-key, holds no private key in PEM, or one with a passphrase`);
  }
}
