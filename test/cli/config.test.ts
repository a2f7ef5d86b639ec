import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addSettings, readCommandConfig } from '../../src/cli/config/command.ts';
import { HELP_GROUPS } from '../../src/cli/config/groups.ts';
import { allowedHosts, checkExposure } from '../../src/serve/config/exposure.ts';
import { othersMayRead, withKeysOfFile } from '../../src/serve/config/key-file.ts';
import { type Config, SETTING_NAMES, SETTINGS, type SettingName } from '../../src/serve/config/settings.ts';
import { UsageError } from '../../src/serve/errors.ts';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'paddock-home-'));
});
afterAll(() => rm(home, { recursive: true }));
beforeEach(() => rm(join(home, 'config.json'), { force: true }));

function parse(args: string[], env: Record<string, string> = {}): Config {
  const command = addSettings(new Command().exitOverride(), SETTING_NAMES);
  command.parse(args, { from: 'user' });
  return readCommandConfig(command.opts(), { PADDOCK_HOME: home, ...env });
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
  { setting: 'apiKeyFile', args: ['/a'], flag: '/a', variable: '/b', env: '/b', inFile: '/c' },
  { setting: 'keys', args: ['/a'], flag: '/a', variable: '/b', env: '/b', inFile: '/c' },
  { setting: 'mcp', args: ['/a'], flag: '/a', variable: '/b', env: '/b', inFile: '/c' },
  { setting: 'noAuth', args: [], flag: true, variable: 'false', env: false, inFile: true },
  { setting: 'corsOrigin', args: ['*'], flag: ['*'], variable: 'b,c', env: ['b', 'c'], inFile: 'd', file: ['d'] },
  { setting: 'localPages', args: ['none'], flag: 'none', variable: 'all', env: 'all', inFile: 'inference' },
  { setting: 'allowedHost', args: ['a'], flag: ['a'], variable: 'b,c', env: ['b', 'c'], inFile: 'd', file: ['d'] },
  { setting: 'contentFilter', args: ['a,b'], flag: ['a,b'], variable: 'c,', env: ['c'], inFile: ['d, e'] },
  { setting: 'slots', args: ['1'], flag: 1, variable: '2', env: 2, inFile: 3 },
  { setting: 'ctxLen', args: ['512'], flag: 512, variable: '1024', env: 1024, inFile: 2048 },
  { setting: 'threads', args: ['1'], flag: 1, variable: '2', env: 2, inFile: 3 },
  { setting: 'batch', args: ['1'], flag: 1, variable: '2', env: 2, inFile: 3 },
  { setting: 'gpuLayers', args: ['1'], flag: 1, variable: '2', env: 2, inFile: 3 },
  { setting: 'cpuMoe', args: [], flag: true, variable: 'false', env: false, inFile: true },
  { setting: 'nCpuMoe', args: ['1'], flag: 1, variable: '2', env: 2, inFile: 3 },
  { setting: 'splitMode', args: ['row'], flag: 'row', variable: 'none', env: 'none', inFile: 'layer' },
  { setting: 'tensorSplit', args: ['3,1'], flag: [3, 1], variable: '0.5', env: [0.5], inFile: [1, 1] },
  { setting: 'mainGpu', args: ['1'], flag: 1, variable: '2', env: 2, inFile: 3 },
  { setting: 'flashAttention', args: ['true'], flag: true, variable: 'false', env: false, inFile: true },
  { setting: 'kvType', args: ['q8_0'], flag: 'q8_0', variable: 'q4_0', env: 'q4_0', inFile: 'f16' },
  { setting: 'oneByOne', args: [], flag: true, variable: 'false', env: false, inFile: true },
  { setting: 'stockKernels', args: [], flag: true, variable: 'false', env: false, inFile: true },
  { setting: 'isolateKeys', args: [], flag: true, variable: 'false', env: false, inFile: true },
  { setting: 'maxLoadedModels', args: ['1'], flag: 1, variable: '2', env: 2, inFile: 3 },
  {
    setting: 'alias',
    args: ['a=b'],
    flag: ['a=b'],
    variable: 'b=c,d=e',
    env: ['b=c', 'd=e'],
    inFile: 'f=g',
    file: ['f=g'],
  },
  { setting: 'preload', args: ['a'], flag: ['a'], variable: 'b,c', env: ['b', 'c'], inFile: 'd', file: ['d'] },
  { setting: 'idleTimeout', args: ['0'], flag: 0, variable: '2', env: 2, inFile: 3 },
  { setting: 'queue', args: ['0'], flag: 0, variable: '2', env: 2, inFile: 3 },
  { setting: 'bodyLimit', args: ['1024'], flag: 1024, variable: '2048', env: 2048, inFile: 4096 },
  { setting: 'socket', args: ['/a'], flag: '/a', variable: '/b', env: '/b', inFile: '/c' },
  { setting: 'tlsCert', args: ['/a'], flag: '/a', variable: '/b', env: '/b', inFile: '/c' },
  { setting: 'tlsKey', args: ['/a'], flag: '/a', variable: '/b', env: '/b', inFile: '/c' },
  { setting: 'mediaLimit', args: ['1024'], flag: 1024, variable: '2048', env: 2048, inFile: 4096 },
  { setting: 'allowPrivateMedia', args: [], flag: true, variable: 'false', env: false, inFile: true },
  { setting: 'allowPrivateSources', args: [], flag: true, variable: 'false', env: false, inFile: true },
  { setting: 'noCache', args: [], flag: true, variable: 'false', env: false, inFile: true },
  { setting: 'noBatches', args: [], flag: true, variable: 'false', env: false, inFile: true },
  { setting: 'cacheRam', args: ['0'], flag: 0, variable: '1024', env: 1024, inFile: 2048 },
  { setting: 'cacheDisk', args: ['0'], flag: 0, variable: '1024', env: 1024, inFile: 2048 },
  { setting: 'lameDuck', args: ['0'], flag: 0, variable: '3', env: 3, inFile: 4 },
  { setting: 'shutdownGrace', args: ['0'], flag: 0, variable: '3', env: 3, inFile: 4 },
  { setting: 'openMetrics', args: [], flag: true, variable: 'false', env: false, inFile: true },
  { setting: 'vllmMetrics', args: [], flag: true, variable: 'false', env: false, inFile: true },
  {
    setting: 'otlpEndpoint',
    args: ['http://a'],
    flag: 'http://a',
    variable: 'http://b',
    env: 'http://b',
    inFile: 'http://c',
  },
  { setting: 'logFormat', args: ['json'], flag: 'json', variable: 'pretty', env: 'pretty', inFile: 'auto' },
  { setting: 'logPrompts', args: [], flag: true, variable: 'false', env: false, inFile: true },
  { setting: 'logLevel', args: ['debug'], flag: 'debug', variable: 'warn', env: 'warn', inFile: 'error' },
];

describe('the help of paddock serve', () => {
  it('has every setting in one group', () => {
    const grouped = Object.values(HELP_GROUPS).flat();
    expect(grouped.toSorted()).toEqual([...SETTING_NAMES].sort());
  });
});

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
      socket: undefined,
      tlsCert: undefined,
      tlsKey: undefined,
      models: join(home, 'models'),
      backend: 'auto',
      apiKey: [],
      apiKeyFile: undefined,
      keys: undefined,
      noAuth: false,
      corsOrigin: [],
      localPages: 'inference',
      allowedHost: [],
      contentFilter: [],
      slots: undefined,
      ctxLen: undefined,
      threads: undefined,
      batch: undefined,
      kvType: undefined,
      gpuLayers: undefined,
      cpuMoe: false,
      nCpuMoe: undefined,
      splitMode: undefined,
      tensorSplit: undefined,
      mainGpu: undefined,
      oneByOne: false,
      stockKernels: false,
      isolateKeys: false,
      maxLoadedModels: undefined,
      alias: [],
      preload: [],
      idleTimeout: 3600,
      queue: 512,
      bodyLimit: 32 * 1024 * 1024,
      mediaLimit: 20 * 1024 * 1024,
      allowPrivateMedia: false,
      allowPrivateSources: false,
      noCache: false,
      cacheRam: undefined,
      cacheDisk: undefined,
      noBatches: false,
      lameDuck: 2,
      shutdownGrace: 10,
      openMetrics: false,
      vllmMetrics: false,
      otlpEndpoint: undefined,
      logFormat: 'auto',
      logPrompts: false,
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
    [['--local-pages', 'some'], '--local-pages must be one of none, inference, all'],
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
    expect(check(['--host', '0.0.0.0'])).toThrow(/--api-key or --api-key-file, .*--no-auth/);
    expect(check(['--host', '0.0.0.0', '--api-key', 'k'])).not.toThrow();
    expect(check(['--host', '0.0.0.0', '--no-auth'])).not.toThrow();
    expect(check([])).not.toThrow();
  });

  it('may be a Unix socket without a key: only a proxy of this machine reaches it', () => {
    expect(check(['--host', '0.0.0.0', '--socket', '/run/paddock.sock'])).not.toThrow();
  });
});

describe('the names that a server answers to', () => {
  const names = (args: string[]) => allowedHosts(parse(args));

  it('are those of this machine and the listed ones where it listens on loopback', () => {
    for (const host of ['127.0.0.1', 'localhost', '::1']) {
      expect(names(['--host', host])).toEqual([]);
      expect(names(['--host', host, '--allowed-host', 'models.example'])).toEqual(['models.example']);
    }
  });

  it('are any at a Unix socket, unless some are listed: the proxy tells its own', () => {
    expect(names(['--socket', '/run/paddock.sock'])).toBeNull();
    expect(names(['--socket', '/run/paddock.sock', '--allowed-host', 'models.example'])).toEqual(['models.example']);
  });

  it('are any where it listens for other machines, unless some are listed', () => {
    expect(names(['--host', '0.0.0.0'])).toBeNull();
    expect(names(['--host', '192.168.1.5', '--allowed-host', 'models.example'])).toEqual([
      '192.168.1.5',
      'models.example',
    ]);
  });
});

describe('the file of API keys', () => {
  const file = () => join(home, 'keys.txt');
  const keysOf = (args: string[]) => withKeysOfFile(parse(args)).apiKey;

  it('gives a key with each line, besides the flags', async () => {
    await writeFile(file(), '# for the help desk\nsk-one\r\n\n  sk-two  \n');
    expect(keysOf(['--api-key-file', file(), '--api-key', 'sk-three'])).toEqual(['sk-three', 'sk-one', 'sk-two']);
    expect(keysOf([])).toEqual([]);
  });

  it('counts as a key where the server is for other machines', async () => {
    await writeFile(file(), 'sk-one\n');
    const config = withKeysOfFile(parse(['--host', '0.0.0.0', '--api-key-file', file()]));
    expect(() => checkExposure(config)).not.toThrow();
  });

  it('must hold a key, since the server would be open otherwise', async () => {
    await writeFile(file(), '# none yet\n');
    expect(() => keysOf(['--api-key-file', file()])).toThrow(/keys\.txt, the file of --api-key-file, holds no key/);
  });

  it('must be there', () => {
    expect(() => keysOf(['--api-key-file', join(home, 'none.txt')])).toThrow(UsageError);
  });

  it('is told from one that others may read', async () => {
    await writeFile(file(), 'sk-one\n');
    await chmod(file(), 0o600);
    expect(othersMayRead(file())).toBe(false);
    for (const mode of [0o604, 0o640, 0o644]) {
      await chmod(file(), mode);
      expect(othersMayRead(file())).toBe(true);
    }
  });
});
