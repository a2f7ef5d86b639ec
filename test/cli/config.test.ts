import { Command } from 'commander';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseServeConfig, type ServeConfig, serveOptions } from '../../src/cli/config.ts';

function parse(args: string[], env: Record<string, string> = {}): ServeConfig {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const command = new Command().exitOverride();
  for (const option of serveOptions()) command.addOption(option);
  command.parse(args, { from: 'user' });
  return parseServeConfig(command.opts(), process.env);
}

afterEach(() => vi.unstubAllEnvs());

describe('the configuration of paddock serve', () => {
  it('has defaults for everything', () => {
    expect(parse([])).toMatchObject({
      host: '127.0.0.1',
      port: 1337,
      backend: 'auto',
      apiKey: [],
      slots: 4,
      batch: 512,
      idleTimeout: 3600,
      bodyLimit: 32 * 1024 * 1024,
    });
    expect(parse([]).ctxLen).toBeUndefined();
    expect(parse([]).maxLoadedModels).toBeUndefined();
  });

  it('takes every flag', () => {
    const config = parse(
      '--host localhost --port 0 --models m --backend wasm --slots 8 --ctx-len 2048 --threads 3 --batch 64 --max-loaded-models 2 --idle-timeout 0'.split(
        ' ',
      ),
    );
    expect(config).toMatchObject({
      host: 'localhost',
      port: 0,
      models: 'm',
      backend: 'wasm',
      slots: 8,
      ctxLen: 2048,
      threads: 3,
      batch: 64,
      maxLoadedModels: 2,
      idleTimeout: 0,
    });
  });

  it('takes every flag as an environment variable too, and lets the flag win', () => {
    const env = { PADDOCK_PORT: '8080', PADDOCK_SLOTS: '2', PADDOCK_CTX_LEN: '512', PADDOCK_BACKEND: 'cpu' };
    expect(parse([], env)).toMatchObject({ port: 8080, slots: 2, ctxLen: 512, backend: 'cpu' });
    expect(parse(['--port', '9'], env).port).toBe(9);
  });

  it('takes several keys, as repeated flags or separated by commas in the environment', () => {
    expect(parse(['--api-key', 'a', '--api-key', 'b']).apiKey).toEqual(['a', 'b']);
    expect(parse([], { PADDOCK_API_KEYS: 'c, d' }).apiKey).toEqual(['c', 'd']);
  });

  it.each([
    [['--port', 'x'], /--port must be an integer between 0 and 65535/],
    [['--port', '70000'], /--port must be an integer between 0 and 65535/],
    [['--slots', '0'], /--slots must be an integer between 1 and 256/],
    [['--max-loaded-models', '0'], /--max-loaded-models must be an integer between 1 and 1024/],
    [['--idle-timeout', '5m'], /--idle-timeout must be an integer/],
    [['--ctx-len', '1'], /--ctx-len must be an integer/],
    [['--backend', 'tpu'], /--backend must be one of auto, gpu, cpu, wasm/],
    [['--api-key', ''], /--api-key must not be empty/],
  ])('refuses %j by name', (args, message) => {
    expect(() => parse(args)).toThrow(message);
  });

  it('refuses to listen beyond this machine without a key, unless told to', () => {
    expect(() => parse(['--host', '0.0.0.0'])).toThrow(/--api-key, or --no-auth/);
    expect(parse(['--host', '0.0.0.0', '--api-key', 'k']).host).toBe('0.0.0.0');
    expect(parse(['--host', '0.0.0.0', '--no-auth']).host).toBe('0.0.0.0');
  });
});
