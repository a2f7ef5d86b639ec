import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { registerChat, registerRun } from '../../../src/cli/commands/chat.ts';
import { registerCompletion } from '../../../src/cli/commands/completion.ts';
import { registerConnect } from '../../../src/cli/commands/connect.ts';
import { registerKey } from '../../../src/cli/commands/key.ts';
import { registerPull } from '../../../src/cli/commands/pull.ts';
import { registerShow } from '../../../src/cli/commands/show.ts';
import { candidatesFor } from '../../../src/cli/completion/candidates.ts';

const program = new Command('paddock');
for (const register of [
  registerChat,
  registerRun,
  registerCompletion,
  registerConnect,
  registerKey,
  registerPull,
  registerShow,
])
  register(program);

const complete = (line: string) => candidatesFor(program, line, async () => ['pico', 'org/repo:Q8_0']);

describe('the completion of', () => {
  it('commands leaves out those that are hidden', async () => {
    expect(await complete('paddock ')).toEqual(expect.arrayContaining(['chat', 'pull', 'show']));
    expect(await complete('paddock ')).not.toContain('complete');
    expect(await complete('paddock co')).toEqual(['completion', 'connect']);
    expect(await complete('paddock key ')).toEqual(expect.arrayContaining(['add', 'list', 'remove']));
  });

  it('models has the ids of this machine, and starter models where one may be pulled', async () => {
    expect(await complete('paddock show ')).toEqual(['pico', 'org/repo:Q8_0']);
    expect(await complete('paddock run qwen3:')).toContain('qwen3:4b');
    expect(await complete('paddock pull ll')).toEqual(['llama3.2:3b']);
    expect(await complete('paddock chat --system Hi p')).toEqual(['pico']);
    expect(await complete('paddock show pico ')).toEqual([]);
  });

  it('flags and their values', async () => {
    expect(await complete('paddock chat --sys')).toEqual(['--system']);
    expect(await complete('paddock chat --backend ')).toEqual(['auto', 'gpu', 'cpu', 'wasm']);
    expect(await complete('paddock pull --models ')).toEqual([]);
    expect(await complete('paddock chat --he')).toEqual(['--help']);
  });

  it('programs and shells', async () => {
    expect(await complete('paddock connect co')).toEqual(expect.arrayContaining(['codex', 'continue']));
    expect(await complete('paddock completion ')).toEqual(['bash', 'zsh', 'fish']);
  });
});
