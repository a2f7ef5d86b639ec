import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

/** Runs a tool of the build and returns its output. Throws with the output if the tool finds a fault. */
function run(tool: string, ...args: string[]): string {
  return execFileSync(process.execPath, [`dist/test/trials/${tool}.js`, '--seed', '3', ...args], { encoding: 'utf8' });
}

describe('a short run', { timeout: 120_000 }, () => {
  it('of chaos kills engines and finds every answer right', () => {
    const size = ['--minutes', '0.06', '--clients', '4', '--questions', '8'];
    const said = run('chaos/main', ...size, '--kill-every', '1');
    expect(said).toMatch(/^seed 3/);
    expect(said).toMatch(/[1-9]\d* {2}SIG/);
    expect(said).toMatch(/requests \d{2,}, wrong answers 0/);
    expect(said).toContain('all held');
  });

  it('of the request fuzzer finds no 500 and no hang', () => {
    expect(run('fuzz/requests', '--count', '24')).toContain('all held');
  });

  it('of the GGUF fuzzer leaves the server alive', () => {
    const said = run('fuzz/gguf', '--count', '8');
    expect(said).toMatch(/mutants by model and outcome:\n +\d+ {2}/);
    expect(said).toContain('all held');
  });
});
