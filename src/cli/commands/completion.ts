import { Argument, type Command } from 'commander';
import { candidatesFor } from '../completion/candidates.ts';
import { type CompletedShell, SCRIPTS, SHELLS } from '../completion/scripts.ts';
import { defaultConfig } from '../config/command.ts';

/** `paddock completion <shell>` prints a script, and the script calls `paddock complete` at each tab. */
export function registerCompletion(program: Command): void {
  program
    .command('completion')
    .description('print the script that completes paddock in a shell')
    .addArgument(new Argument('<shell>', SHELLS.join(', ')).choices(SHELLS))
    .addHelpText('after', '\nbash: source <(paddock completion bash). The head of each script says where it may lie.')
    .action((shell: CompletedShell) => void process.stdout.write(SCRIPTS[shell]));
  program
    .command('complete', { hidden: true })
    .argument('<line>', 'the command line up to the cursor')
    .action(async (line: string) => {
      const found = await candidatesFor(program, line, readModels).catch(() => []);
      if (found.length > 0) process.stdout.write(`${found.join('\n')}\n`);
    });
}

async function readModels(): Promise<string[]> {
  const { findLocalModels } = await import('../local-models.ts');
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const catalogue = await findLocalModels(defaultModels(), silent);
  return catalogue.list().map(({ id }) => id);
}

/** The models folder that commands use without flags. */
function defaultModels(): string {
  return process.env.PADDOCK_MODELS || defaultConfig({}).models;
}
