import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { formatSettingsFile } from '../../../src/cli/connect/settings-file.ts';
import type { Facts } from '../../../src/cli/connect/setup.ts';
import type { Agent } from './agents.ts';
import { FINAL_WORDS } from './script.ts';

/** The result of an agent. */
export interface Outcome {
  /** The number of steps whose file exists. */
  steps: number;
  /** True if the agent printed the final words of the model. */
  told: boolean;
  exitCode: number | null;
  /** The end of the output. */
  output: string;
}

const TASK = 'Run the steps of the trial with your shell tool, one at a time, until they are done.';
const LONGEST_MS = 180_000;
const SHOWN_CHARACTERS = 600;
/** A proxy address without a server, so that requests to the internet fail at once. */
const NOWHERE = 'http://127.0.0.1:9';

/** Lets an agent work in an empty folder with a home folder of its own. It can reach only this machine. */
export async function runAgent(agent: Agent, binFolder: string, facts: Facts): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'paddock-agent-'));
  const [home, work] = [join(folder, 'home'), join(folder, 'work')];
  mkdirSync(home);
  mkdirSync(work);
  try {
    const { variables = {}, file } = agent.setup(facts);
    if (file) {
      const path = join(home, file.path);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, formatSettingsFile(file.content));
    }
    const { output, exitCode } = await runProgram(join(binFolder, agent.bin), agent.args(TASK, facts), work, {
      PATH: `${binFolder}:${process.env.PATH}`,
      HOME: home,
      ...variables,
      HTTPS_PROXY: NOWHERE,
      NO_PROXY: '127.0.0.1,localhost',
      no_proxy: '127.0.0.1,localhost',
      CI: '1',
    });
    const steps = readdirSync(work).filter((name) => /^step-\d+\.txt$/.test(name)).length;
    return { steps, told: output.includes(FINAL_WORDS), exitCode, output: output.trim().slice(-SHOWN_CHARACTERS) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runProgram(path: string, args: string[], cwd: string, env: Record<string, string>) {
  return new Promise<{ output: string; exitCode: number | null }>((resolve, reject) => {
    const child = spawn(path, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let output = '';
    const gather = (bytes: Buffer) => {
      output += bytes.toString();
    };
    child.stdout.on('data', gather);
    child.stderr.on('data', gather);
    const end = () => {
      // Kills the whole process group, since some agents leave servers running.
      if (child.pid !== undefined)
        try {
          process.kill(-child.pid, 'SIGKILL');
        } catch {}
    };
    const timer = setTimeout(end, LONGEST_MS);
    child.once('error', reject);
    child.once('exit', (exitCode) => {
      clearTimeout(timer);
      setTimeout(() => {
        end();
        resolve({ output, exitCode });
      }, 200);
    });
  });
}
