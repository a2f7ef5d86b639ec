import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCli, type TestCli } from '../../kit/cli.ts';

let cli: TestCli;
let home: string;
beforeAll(async () => {
  cli = await openCli();
  ({ home } = cli);
});
afterAll(() => cli.close());

const run: TestCli['run'] = (...args) => cli.run(...args);

describe('paddock doctor', () => {
  const doctor = async (args: string[] = [], env: Record<string, string> = {}) => {
    const { code, stdout } = await run(['doctor', '--json', ...args], { env: { PADDOCK_PORT: '0', ...env } });
    const { ok, findings } = JSON.parse(stdout) as {
      ok: boolean;
      findings: { id: string; status: string; detail: string }[];
    };
    return { code, ok, find: (id: string) => findings.find((finding) => finding.id === id) };
  };

  it('finds that the server can serve here, and on which backend', async () => {
    const { code, ok, find } = await doctor();
    expect({ code, ok }).toEqual({ code: 0, ok: true });
    for (const id of ['node', 'http', 'cpu', 'wasm', 'backend', 'config']) expect(find(id)?.status).toBe('ok');
    expect(find('backend')?.detail).toContain('--backend cpu is set');
    expect(find('models')?.detail).toContain(join(home, 'models'));
    expect(find('loads')?.detail).toMatch(/pico \d+ slots of 1024 tokens in about [\d.]+ MB;.* 1 thread$/);
  });

  it('says why auto does not use a backend', async () => {
    const { find } = await doctor(['--backend', 'auto']);
    const gpu = find('gpu');
    const passedOver = gpu?.status === 'ok' ? 'gpu (auto takes' : `gpu passed over: ${gpu?.detail}`;
    expect(find('backend')?.detail).toContain(passedOver);
  });

  it('fails if the configuration is wrong, and still checks the rest', async () => {
    const { code, ok, find } = await doctor([], { PADDOCK_SLOTS: '0' });
    expect({ code, ok }).toEqual({ code: 1, ok: false });
    expect(find('config')).toMatchObject({ status: 'fail', detail: expect.stringContaining('PADDOCK_SLOTS must be') });
    expect(find('cpu')?.status).toBe('ok');
  });

  it('prints the findings for people', async () => {
    const { stdout } = await run(['doctor'], { env: { PADDOCK_PORT: '0' } });
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toMatch(/^✓ Node +\d+\.\d+\.\d+$/m);
    expect(stdout).toContain('Paddock can serve here.');
  });
});
