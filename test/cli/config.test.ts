import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addSettings, readConfig } from '../../src/cli/config/command.ts';
import { checkExposure } from '../../src/cli/config/exposure.ts';
import { type Config, SETTING_NAMES, SETTINGS, type SettingName } from '../../src/cli/config/settings.ts';
import { UsageError } from '../../src/cli/errors.ts';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'paddock-home-'));
});
afterAll(() => rm(home, { recursive: true }));
beforeEach(() => rm(join(home, 'config.json'), { force: true }));

function parse(args: string[], env: Record<string, string> = {}): Config {
  const command = addSettings(new Command().exitOverride(), SETTING_NAMES);
  command.parse(args, { from: 'user' });
  return readConfig(command.opts(), { PADDOCK_HOME: home, ...env });
}

const writeConfig = (values: unknown) => writeFile(join(home, 'config.json'), JSON.stringify(values));

interface Said {
  setting: SettingName;
  args: string[];
  flag: unknown;
  variable: string;
  env: unknown;
  inFile: unknown;
  file?: unknown;
}

/** Three different values for each setting, for a flag, a variable and the file, each with its parsed form. */
const EVERY_SETTING: Said[] = [
  { setting: 'host', args: ['localhost'], flag: 'localhost', variable: '::1', env: '::1', inFile: '127.0.0.2' },
  { setting: 'port', args: ['1'], flag: 1, variable: '2', env: 2, inFile: 3 },
  { setting: 'models', args: ['/a'], flag: '/a', variable: '/b', env: '/b', inFile: '/c' },
  { setting: 'backend', args: ['gpu'], flag: 'gpu', variable: 'cpu', env: 'cpu', inFile: 'wasm' },
  { setting: 'apiKey', args: ['a'], flag: ['a'], variable: 'b, c', env: ['b', 'c'], inFile: ['d'] },
  { setting: 'noAuth', args: [], flag: true, variable: 'false', env: false, inFile: true },
  { setting: 'corsOrigin', args: ['*'], flag: ['*'], variable: 'b,c', env: ['b', 'c'], inFile: 'd', file: ['d'] },
  { setting: 'contentFilter', args: ['a,b'], flag: ['a,b'], variable: 'c,', env: ['c'], inFile: ['d, e'] },
  { setting: 'slots', args: ['1'], flag: 1, variable: '2', env: 2, inFile: 3 },
  { setting: 'ctxLen', args: ['512'], flag: 512, variable: '1024', env: 1024, inFile: 2048 },
  { setting: 'threads', args: ['1'], flag: 1, variable: '2', env: 2, inFile: 3 },
  { setting: 'batch', args: ['1'], flag: 1, variable: '2', env: 2, inFile: 3 },
  { setting: 'maxLoadedModels', args: ['1'], flag: 1, variable: '2', env: 2, inFile: 3 },
  { setting: 'idleTimeout', args: ['0'], flag: 0, variable: '2', env: 2, inFile: 3 },
  { setting: 'queue', args: ['0'], flag: 0, variable: '2', env: 2, inFile: 3 },
  { setting: 'bodyLimit', args: ['1024'], flag: 1024, variable: '2048', env: 2048, inFile: 4096 },
  { setting: 'mediaLimit', args: ['1024'], flag: 1024, variable: '2048', env: 2048, inFile: 4096 },
  { setting: 'allowPrivateMedia', args: [], flag: true, variable: 'false', env: false, inFile: true },
  { setting: 'logLevel', args: ['debug'], flag: 'debug', variable: 'warn', env: 'warn', inFile: 'error' },
];

describe('the configuration', () => {
  it('is tested below for every setting', () => {
    expect(EVERY_SETTING.map(({ setting }) => setting).sort()).toEqual([...SETTING_NAMES].sort());
  });

  it.each(EVERY_SETTING)('takes $setting from the flag, else the variable, else the file', async (said) => {
    const { setting } = said;
    const flag = SETTINGS[setting].flags.split(' ')[0] ?? '';
    const env = { [SETTINGS[setting].env]: said.variable };
    await writeConfig({ [setting]: said.inFile });
    expect(parse([])[setting]).toEqual(said.file ?? said.inFile);
    expect(parse([], env)[setting]).toEqual(said.env);
    expect(parse([flag, ...said.args], env)[setting]).toEqual(said.flag);
  });

  it('has defaults for everything', () => {
    expect(parse([])).toEqual({
      host: '127.0.0.1',
      port: 1337,
      models: join(home, 'models'),
      backend: 'auto',
      apiKey: [],
      noAuth: false,
      corsOrigin: [],
      contentFilter: [],
      slots: 4,
      ctxLen: undefined,
      threads: undefined,
      batch: 512,
      maxLoadedModels: undefined,
      idleTimeout: 3600,
      queue: 512,
      bodyLimit: 32 * 1024 * 1024,
      mediaLimit: 20 * 1024 * 1024,
      allowPrivateMedia: false,
      logLevel: 'info',
    });
  });

  it('takes a repeated flag as a list', () => {
    expect(parse(['--api-key', 'a', '--api-key', 'b']).apiKey).toEqual(['a', 'b']);
  });

  it('counts an empty variable as not set', () => {
    expect(parse([], { PADDOCK_PORT: '', PADDOCK_API_KEYS: '' })).toMatchObject({ port: 1337, apiKey: [] });
  });

  it.each([
    [['--port', 'x'], '--port must be an integer between 0 and 65535'],
    [['--port', '70000'], '--port must be an integer between 0 and 65535'],
    [['--port', '1e3'], '--port must be an integer between 0 and 65535'],
    [['--port', ''], '--port must be an integer between 0 and 65535'],
    [['--slots', '0'], '--slots must be an integer between 1 and 256'],
    [['--ctx-len', '1'], '--ctx-len must be an integer between 8 and 16777216'],
    [['--max-loaded-models', '0'], '--max-loaded-models must be an integer between 1 and 1024'],
    [['--idle-timeout', '-1'], '--idle-timeout must be an integer between 0 and 2147483'],
    [['--idle-timeout', '2147484'], '--idle-timeout must be an integer between 0 and 2147483'],
    [['--backend', 'tpu'], '--backend must be one of auto, gpu, cpu, wasm'],
    [['--api-key', ''], '--api-key must not be empty'],
    [['--host', ''], '--host must not be empty'],
  ])('refuses %j and names the flag', (args, message) => {
    expect(() => parse(args)).toThrow(new UsageError(message));
  });

  it('names the variable that is wrong', () => {
    expect(() => parse([], { PADDOCK_SLOTS: 'many' })).toThrow(
      new UsageError('PADDOCK_SLOTS must be an integer between 1 and 256'),
    );
    expect(() => parse([], { PADDOCK_NO_AUTH: 'yes' })).toThrow(
      new UsageError('PADDOCK_NO_AUTH must be true or false'),
    );
  });

  describe('file', () => {
    it('is named by --config, else by PADDOCK_CONFIG', async () => {
      await writeFile(join(home, 'a.json'), '{"port": 1}');
      await writeFile(join(home, 'b.json'), '{"port": 2}');
      const env = { PADDOCK_CONFIG: join(home, 'b.json') };
      expect(parse([], env).port).toBe(2);
      expect(parse(['--config', join(home, 'a.json')], env).port).toBe(1);
    });

    it('must exist if it is named', () => {
      expect(() => parse(['--config', join(home, 'none.json')])).toThrow(/there is no configuration file .*none\.json/);
    });

    it('is refused with the name of an unknown key', async () => {
      await writeConfig({ prot: 1 });
      expect(() => parse([])).toThrow(/config\.json has the unknown key "prot"; the keys are host, port/);
    });

    it('is refused with the name of a key that has a wrong value, even if a flag replaces the value', async () => {
      await writeConfig({ port: 'x' });
      expect(() => parse(['--port', '1'])).toThrow(/^"port" in .*config\.json must be an integer between 0 and 65535$/);
    });

    it.each([['{'], ['[]'], ['null']])('is refused if it contains %s', async (text) => {
      await writeFile(join(home, 'config.json'), text);
      expect(() => parse([])).toThrow(/config\.json (is not valid JSON|must be a JSON object)/);
    });

    it("resolves relative paths from its folder, and ~ as the user's home", async () => {
      await writeConfig({ models: 'mine' });
      expect(parse([]).models).toBe(join(home, 'mine'));
      await writeConfig({ models: '~/mine' });
      expect(parse([]).models).toBe(join(homedir(), 'mine'));
    });
  });
});

describe('the address to listen on', () => {
  const check = (args: string[]) => () => checkExposure(parse(args));

  it('may be reachable from other machines only with a key or with --no-auth', () => {
    expect(check(['--host', '0.0.0.0'])).toThrow(/--api-key, or --no-auth/);
    expect(check(['--host', '0.0.0.0', '--api-key', 'k'])).not.toThrow();
    expect(check(['--host', '0.0.0.0', '--no-auth'])).not.toThrow();
    expect(check([])).not.toThrow();
  });
});
