import { describe, expect, it } from 'vitest';
import { ownConfig } from '../../../src/cli/client/reach.ts';
import { defaultConfig } from '../../../src/cli/config/command.ts';
import { SETTING_NAMES } from '../../../src/serve/config/settings.ts';

/** The settings of the server that a user runs, each other than its default. */
const OF_THE_USER = {
  ...defaultConfig({}),
  host: '0.0.0.0',
  port: 8080,
  socket: '/run/paddock.sock',
  tlsCert: 'cert.pem',
  tlsKey: 'key.pem',
  apiKey: ['theirs'],
  apiKeyFile: 'keys.txt',
  keys: 'keys.json',
  openMetrics: true,
  preload: ['large'],
  otlpEndpoint: 'http://127.0.0.1:4318',
  logLevel: 'debug' as const,
};

describe('the server that a command starts for itself', () => {
  const own = ownConfig(OF_THE_USER, 'one-time');

  it('is reached with its own key, on a free port of this machine alone', () => {
    expect(own).toMatchObject({ host: '127.0.0.1', port: 0, apiKey: ['one-time'], openMetrics: false });
    for (const name of ['socket', 'tlsCert', 'tlsKey', 'apiKeyFile', 'keys'] as const)
      expect(own[name], name).toBeUndefined();
  });

  it('loads no model by itself and tells nobody of its requests', () => {
    expect(own).toMatchObject({ preload: [], otlpEndpoint: undefined, logLevel: 'silent' });
  });

  it('has everything else from the configuration', () => {
    const changed = SETTING_NAMES.filter((name) => JSON.stringify(own[name]) !== JSON.stringify(OF_THE_USER[name]));
    expect(changed.toSorted()).toEqual([
      'apiKey',
      'apiKeyFile',
      'host',
      'keys',
      'logLevel',
      'noBatches',
      'openMetrics',
      'otlpEndpoint',
      'port',
      'preload',
      'socket',
      'tlsCert',
      'tlsKey',
    ]);
  });
});
