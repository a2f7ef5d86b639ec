// @module-tag slow
import { execFile, spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

vi.setConfig({ testTimeout: 60_000 });

const execute = promisify(execFile);
const SCRIPT = resolve('deploy/install.sh');

let home: string;
let tarball: string;

/** Packs a program in place of Paddock: the real one takes minutes to install, and needs a registry. */
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'paddock-install-'));
  tarball = await pack('0.0.1');
});
afterAll(() => rm(home, { recursive: true }));

async function pack(version: string): Promise<string> {
  const folder = join(home, `package-${version}`);
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'paddock', version, bin: { paddock: 'main.js' } }),
  );
  const main = `#!/usr/bin/env node\nconsole.log(process.argv[2] === '--version' ? '${version}' : 'script of ' + process.argv[3]);\n`;
  await writeFile(join(folder, 'main.js'), main);
  await chmod(join(folder, 'main.js'), 0o755);
  await mkdir(join(folder, 'native'));
  await writeFile(join(folder, 'native/build-media.js'), `console.log('compiled for ${version}');\n`);
  const { stdout } = await execute('npm', ['pack', '--silent', '--pack-destination', home], { cwd: folder });
  return join(home, stdout.trim());
}

/** True if there is what the reader of images is compiled with. */
function hasCompiler(): boolean {
  return ['git', process.env.CXX ?? 'g++'].every((program) => spawnSync(program, ['--version']).status === 0);
}

async function install(...args: string[]) {
  const { XDG_DATA_HOME: _, XDG_CONFIG_HOME: __, ...env } = process.env;
  return execute('sh', [SCRIPT, ...args], { env: { ...env, HOME: home, npm_config_offline: 'true' } });
}

describe('deploy/install.sh', () => {
  it('installs a tarball for this user, with completion and a service, and a newer one in its place', async () => {
    const { stdout } = await install('--service', tarball);
    const bin = join(home, '.local/bin/paddock');
    expect(await readlink(bin)).toBe(join(home, '.local/share/paddock/node_modules/.bin/paddock'));
    expect((await execute(bin, ['--version'])).stdout).toBe('0.0.1\n');
    expect(stdout).toContain('Installed paddock 0.0.1 into ');
    expect(stdout).toContain(`${join(home, '.local/bin')} is not in your PATH`);
    const completion = join(home, '.local/share/bash-completion/completions/paddock');
    expect(await readFile(completion, 'utf8')).toBe('script of bash\n');
    const unit = await readFile(join(home, '.config/systemd/user/paddock.service'), 'utf8');
    expect(unit).toMatch(/^ExecStart=\/\S*node \/\S+\/node_modules\/\.bin\/paddock serve$/m);

    await install('--no-completion', await pack('0.0.2'));
    expect((await execute(bin, ['--version'])).stdout).toBe('0.0.2\n');
  });

  it('compiles the reader of images where there is a compiler, unless told otherwise', async () => {
    const withCompiler = await install('--no-completion', tarball);
    expect(withCompiler.stdout.includes('compiled for 0.0.1')).toBe(process.platform === 'linux' && hasCompiler());
    expect((await install('--no-completion', '--no-media', tarball)).stdout).not.toContain('compiled for');
  });

  it('says what is wrong', async () => {
    await expect(install('/nowhere.tgz')).rejects.toMatchObject({
      code: 1,
      stderr: 'install.sh: there is no file /nowhere.tgz\n',
    });
    await expect(install('--nope')).rejects.toMatchObject({ code: 1, stderr: 'install.sh: unknown option --nope\n' });
    expect((await install('--help')).stdout).toMatch(/^Installs Paddock for this user/);
  });
});
