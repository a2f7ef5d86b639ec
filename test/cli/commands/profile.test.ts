import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCli, SERVER_KEY, type TestCli } from '../../kit/cli.ts';
import { eventually } from '../../kit/eventually.ts';

let cli: TestCli;
beforeAll(async () => {
  cli = await openCli();
});
afterAll(() => cli.close());

const jsonFile = () => join(cli.home, 'models/shelf/brief.model.json');
const readJson = async (file: string) => JSON.parse(await readFile(file, 'utf8'));

async function write(...lines: string[]): Promise<string> {
  const file = join(cli.home, 'Modelfile');
  await writeFile(file, lines.join('\n'));
  return file;
}

describe('paddock profile', () => {
  it('writes a Modelfile as a profile, which a server that runs serves under its name', async () => {
    const server = await cli.startServer();
    const file = await write(
      'FROM ./brief.gguf',
      'PARAMETER temperature 0.1',
      'PARAMETER num_predict 7',
      'SYSTEM Ahoy.',
    );
    const { code, stdout } = await cli.run(['profile', 'shelf/brief', file, '--as', 'pirate']);
    expect([code, stdout]).toEqual([
      0,
      `Wrote system_prompt, temperature, max_tokens into ${jsonFile()}, as the profile pirate of shelf/brief.\n`,
    ]);
    const { profiles } = await readJson(jsonFile());
    expect(profiles.pirate).toEqual({
      settings: { system_prompt: 'Ahoy.' },
      parameters: { temperature: 0.1, max_tokens: 7 },
    });
    const headers = { authorization: `Bearer ${SERVER_KEY}` };
    await eventually(async () => {
      const { data } = (await (await fetch(`${server.url}/v1/models`, { headers })).json()) as {
        data: { id: string }[];
      };
      const listed = data.find(({ id }) => id === 'pirate');
      expect(listed).toMatchObject({ alias_of: 'shelf/brief', parameters: { temperature: 0.1, max_tokens: 7 } });
    });
  });

  it("writes a Modelfile as the model's own defaults, into the model.json that it has", async () => {
    const folder = join(cli.home, 'others/brief');
    await mkdir(folder, { recursive: true });
    await cp(join(cli.home, 'models/shelf/brief.gguf'), join(folder, 'brief.gguf'));
    await writeFile(join(folder, 'model.json'), '{"name": "Brief", "settings": {"ctx_len": 512}}');
    const file = await write('PARAMETER num_ctx 256', 'PARAMETER top_k 5', 'LICENSE MIT');
    const { stdout } = await cli.run(['profile', 'brief', file, '--json', '--models', join(cli.home, 'others')]);
    const path = join(folder, 'model.json');
    expect(JSON.parse(stdout)).toEqual({
      model: 'brief',
      profile: null,
      file: path,
      settings: { ctx_len: 256 },
      parameters: { top_k: 5 },
      left_out: ['LICENSE'],
    });
    expect(await readJson(path)).toEqual({ name: 'Brief', settings: { ctx_len: 256 }, parameters: { top_k: 5 } });
    expect(await readdir(folder)).toEqual(['brief.gguf', 'model.json']);
  });

  it.each<[string, string[], string[], number, RegExp]>([
    [
      'FROM another model',
      ['FROM qwen3:4b'],
      ['shelf/brief'],
      2,
      /is FROM qwen3:4b, and shelf\/brief is another model/,
    ],
    ['a template', ['TEMPLATE x'], ['shelf/brief'], 1, /line 1 of the Modelfile is a template/],
    [
      'a wrong value',
      ['PARAMETER temperature 9'],
      ['shelf/brief'],
      1,
      /would not be valid: parameters.temperature must be/,
    ],
    ['an unknown model', ['SYSTEM x'], ['nope'], 1, /there is no model 'nope'/],
    ['the built-in model', ['SYSTEM x'], ['pico'], 1, /comes with Paddock/],
    [
      'the name of a model',
      ['SYSTEM x'],
      ['shelf/brief', '--as', 'tiny'],
      2,
      /tiny is a name of the model tiny already/,
    ],
    ['a wrong name', ['SYSTEM x'], ['shelf/brief', '--as', '../x'], 1, /would not be valid: profiles must have names/],
  ])('writes nothing for %s', async (_, lines, [model = '', ...flags], status, message) => {
    const before = await readFile(jsonFile(), 'utf8').catch(() => null);
    const { code, stderr } = await cli.run(['profile', model, await write(...lines), ...flags]);
    expect([code, stderr]).toEqual([status, expect.stringMatching(message)]);
    expect(await readFile(jsonFile(), 'utf8').catch(() => null)).toBe(before);
  });

  it('says which file is not there', async () => {
    const { code, stderr } = await cli.run(['profile', 'shelf/brief', join(cli.home, 'nothing')]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("nothing can't be read")]);
  });
});
