import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCli, type TestCli } from '../../kit/cli.ts';

let cli: TestCli;
beforeAll(async () => {
  cli = await openCli();
});
afterAll(() => cli.close());

describe('paddock tune', () => {
  it.each([
    ['a model that is not there', 'nothing', "there is no model 'nothing'"],
    ['a model that writes no text', 'embed/mini', 'writes no text'],
  ])('has nothing to do for %s, and says so', async (_, model, message) => {
    const { code, stdout, stderr } = await cli.run(['tune', model]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('loads the model to see what it runs on, and has nothing to do for WebAssembly', async () => {
    const { code, stdout, stderr } = await cli.run(['tune', 'tiny', '--backend', 'wasm']);
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: 'paddock: the model runs on WebAssembly: there is nothing to tune\n',
    });
  });

  it('wants enough pairs to tell a gain from chance', async () => {
    const { code, stderr } = await cli.run(['tune', 'tiny', '--rounds', '2']);
    expect(code).toBe(2);
    expect(stderr).toContain('--rounds');
  });
});
