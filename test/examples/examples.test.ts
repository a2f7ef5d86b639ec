import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type RunningServer, startServer } from '../kit/servers/server.ts';

const run = promisify(execFile);

let server: RunningServer;
beforeAll(async () => {
  server = await startServer(['--models', inject('modelsFolder'), '--backend', 'cpu', '--threads', '1']);
});
afterAll(async () => {
  await server?.stop();
});

/** Runs an example by its command against the server of these tests and resolves to what it prints. */
async function print(...[command, ...args]: [command: string, ...args: string[]]): Promise<string> {
  // Node's own warnings depend on its version. Those of the clients must not be there.
  const env = { ...process.env, BASE_URL: server.url, NODE_NO_WARNINGS: '1' };
  const { stdout, stderr } = await run(command, args, { env });
  expect(stderr).toBe('');
  return stdout;
}

/** The same for the scripts of curl, which print a JSON document on each line. */
async function printJson(script: string, ...args: string[]): Promise<unknown[]> {
  const lines = (await print('bash', `examples/curl/${script}`, ...args)).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** What a program of each name prints, whatever client it shows. */
const PRINTED: Record<string, RegExp> = {
  'chat.mjs': /\bPaddock\b.*\n$/,
  'tools.mjs': /^get_weather\(Lisbon\)\n.*\b18\b.*\bsunny\b.*\n$/,
  'structured-output.mjs': /^The (kitchen|bedroom|bathroom) light is to be (on|off)\.\n$/,
};

describe.each(['openai', 'ai-sdk', 'langchain'])('examples/%s', (folder) => {
  const programs = readdirSync(`examples/${folder}`).filter((name) => name !== 'README.md');

  it('has the programs that the other clients have', () => {
    expect(programs.sort()).toEqual(Object.keys(PRINTED).sort());
  });

  it.each(programs)('%s prints the reply of pico', async (program) => {
    expect(await print('node', `examples/${folder}/${program}`)).toMatch(PRINTED[program] ?? /never/);
  });
});

describe('examples/curl', () => {
  it('chat.sh prints a whole reply', async () => {
    const [completion] = await printJson('chat.sh');
    expect(completion).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { content: expect.stringContaining('Paddock') }, finish_reason: 'stop' }],
    });
  });

  it('stream.sh prints the same reply as events, and the usage last', async () => {
    const [whole] = (await printJson('chat.sh')) as [{ choices: [{ message: { content: string } }] }];
    const lines = (await print('bash', 'examples/curl/stream.sh')).split('\n').filter((line) => line !== '');
    expect(lines.at(-1)).toBe('data: [DONE]');
    const chunks = lines.slice(0, -1).map((line) => JSON.parse(line.replace(/^data: /, '')));
    expect(chunks.length).toBeGreaterThan(10);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(
      whole.choices[0].message.content,
    );
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
  });

  it('tools.sh prints the call that the second request repeats, and then the answer', async () => {
    const [asked, answered] = await printJson('tools.sh');
    const call = { name: 'get_weather', arguments: '{"city": "Lisbon"}' };
    expect(asked).toMatchObject({
      choices: [{ message: { tool_calls: [{ function: call }] }, finish_reason: 'tool_calls' }],
    });
    expect(readFileSync('examples/curl/tools.sh', 'utf8')).toContain(JSON.stringify(call.arguments));
    expect(answered).toMatchObject({
      choices: [{ message: { content: expect.stringMatching(/18.*sunny/) }, finish_reason: 'stop' }],
    });
  });

  it('structured-output.sh prints a reply that is JSON of the schema', async () => {
    const [completion] = (await printJson('structured-output.sh')) as [{ choices: [{ message: { content: string } }] }];
    expect(JSON.parse(completion.choices[0].message.content)).toEqual({
      room: expect.stringMatching(/^(kitchen|bedroom|bathroom)$/),
      on: expect.any(Boolean),
    });
  });

  it('embeddings.sh prints a vector for each text, by the model that is named', async () => {
    const [list] = (await printJson('embeddings.sh', 'embed/mini')) as [{ data: { embedding: number[] }[] }];
    expect(list.data.map(({ embedding }) => embedding.length)).toEqual([64, 64]);
  });

  it.each(['chat.sh', 'stream.sh', 'tools.sh', 'structured-output.sh', 'embeddings.sh'])(
    '%s fails when the server refuses',
    async (script) => {
      const env = { ...process.env, BASE_URL: `${server.url}/nowhere` };
      await expect(run('bash', [`examples/curl/${script}`, 'embed/mini'], { env })).rejects.toMatchObject({
        code: 22,
        stdout: expect.stringContaining('"error"'),
      });
    },
  );

  it('has no other scripts', () => {
    const scripts = readdirSync('examples/curl').filter((name) => name !== 'README.md');
    expect(scripts.sort()).toEqual(['chat.sh', 'embeddings.sh', 'stream.sh', 'structured-output.sh', 'tools.sh']);
  });
});

describe('examples/README.md', () => {
  it('lists every example', () => {
    const folders = readdirSync('examples', { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const text = readFileSync('examples/README.md', 'utf8');
    const listed = [...text.matchAll(/^\| \[[^\]]+\]\(([\w-]+)\/README\.md\)/gm)].map(([, folder]) => folder);
    expect(listed.sort()).toEqual(folders.map(({ name }) => name).sort());
  });
});
