import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tlsOf } from '../../../src/serve/config/tls.ts';
import { makeCertificate } from '../../kit/files/certificate.ts';

let folder: string;
const file = (name: string) => join(folder, name);
const config = (tlsCert?: string, tlsKey?: string, socket?: string) => ({
  tlsCert: tlsCert && file(tlsCert),
  tlsKey: tlsKey && file(tlsKey),
  socket,
});

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paddock-tls-'));
  const [own, other] = [makeCertificate(30), makeCertificate(30)];
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const locked = privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' });
  writeFileSync(file('cert.pem'), own.cert);
  writeFileSync(file('chain.pem'), own.cert + other.cert);
  writeFileSync(file('key.pem'), own.key);
  writeFileSync(file('other-key.pem'), other.key);
  writeFileSync(file('locked.pem'), locked);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the certificate of the configuration', () => {
  it('is none where none is given', () => {
    expect(tlsOf(config())).toBeUndefined();
  });

  it.each(['cert.pem', 'chain.pem'])('is taken with its key: %s', (cert) => {
    const tls = tlsOf(config(cert, 'key.pem'));
    expect(tls).toMatchObject({ cert: file(cert), key: file('key.pem') });
    const days = ((tls?.validTo.getTime() ?? 0) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThan(30.1);
  });

  it.each<[string, ReturnType<typeof config>, RegExp]>([
    ['a certificate alone', { tlsCert: '/c', tlsKey: undefined, socket: undefined }, /--tls-cert needs --tls-key/],
    ['a key alone', { tlsCert: undefined, tlsKey: '/k', socket: undefined }, /--tls-key needs --tls-cert/],
    ['a socket too', { tlsCert: '/c', tlsKey: '/k', socket: '/s' }, /--socket and --tls-cert exclude each other/],
  ])('is refused: %s', (_, given, message) => {
    expect(() => tlsOf(given)).toThrow(message);
  });

  it.each([
    ['missing.pem', 'key.pem', /the file of --tls-cert can't be read: ENOENT/],
    ['cert.pem', 'missing.pem', /the file of --tls-key can't be read: ENOENT/],
    ['key.pem', 'key.pem', /key\.pem, the file of --tls-cert, holds no certificate in PEM/],
    ['cert.pem', 'cert.pem', /cert\.pem, the file of --tls-key, holds no private key in PEM/],
    ['cert.pem', 'locked.pem', /locked\.pem, the file of --tls-key, .*passphrase/],
    ['cert.pem', 'other-key.pem', /other-key\.pem, .* is not the key of the certificate in .*cert\.pem/],
  ])('is refused with the file that is wrong: %s with %s', (cert, key, message) => {
    expect(() => tlsOf(config(cert, key))).toThrow(message);
  });
});
