import { describe, expect, it } from 'vitest';
import { isAllowedHost, isOfThisMachine } from '../../../src/api/http/host.ts';

describe('a host of this machine', () => {
  it.each([
    ...['localhost', 'localhost:1337', 'LOCALHOST', 'localhost.', 'app.localhost:3000'],
    ...['127.0.0.1', '127.0.0.1:1337', '127.0.0.2:80', '[::1]', '[::1]:1337'],
    ...['[::ffff:127.0.0.1]', '[::FFFF:127.0.0.1]:1337', '[::ffff:7f00:1]', '[::ffff:7f00:2]:80'],
  ])('is %s', (host) => {
    expect(isOfThisMachine(host)).toBe(true);
    expect(isAllowedHost(host, [])).toBe(true);
  });

  it.each([
    ...['evil.example', 'evil.example:1337', 'localhost.evil.example', '127.0.0.1.evil.example', 'notlocalhost'],
    ...['127.1', '127.0.0.1.5', '0.0.0.0', '192.168.1.5:1337', '[::2]', '::1', '', ' ', ':1337'],
    ...[
      '[::ffff:192.168.1.5]',
      '[::ffff:7e00:1]',
      '[::ffff:7f0:1]',
      '[::ffff:127.1]',
      '[::127.0.0.1]',
      '[1::ffff:7f00:1]',
    ],
    ...[
      'localhost@evil.example',
      'evil.example#localhost',
      'localhost/evil',
      'local host',
      'localhost:',
      'localhost:80:80',
    ],
  ])('is not %j', (host) => {
    expect(isOfThisMachine(host)).toBe(false);
    expect(isAllowedHost(host, [])).toBe(false);
  });
});

describe('a listed host', () => {
  it('is allowed with any port, in any case', () => {
    const listed = ['Models.Example', '192.168.1.5', '[fe80::1]'];
    for (const host of ['models.example', 'MODELS.EXAMPLE:8080', 'models.example.', '192.168.1.5:1337', '[FE80::1]:80'])
      expect(isAllowedHost(host, listed), host).toBe(true);
    for (const host of ['other.example', 'models.example.evil', 'x.models.example', '192.168.1.50'])
      expect(isAllowedHost(host, listed), host).toBe(false);
  });

  it('is any where * is listed', () => {
    expect(isAllowedHost('any.example', ['*'])).toBe(true);
  });
});
