import { Command, CommanderError } from 'commander';
import { EXIT, exitCodeOf, UsageError } from '../serve/errors.ts';
import { coloursFor } from '../serve/output.ts';
import { version } from '../serve/version.ts';
import { messageOf } from '../utils/error-message.ts';
import { registerServe } from './commands/serve.ts';

/** What users of llama-server type first. */
const LLAMA_SERVER_FLAGS = ['-m', '--model', '-hf', '--hf-repo'];

/** Runs the command of the command line. Ends the process with its exit code if it fails. */
export async function runProgram(): Promise<void> {
  // It is not a failure if the reader of the output stops early, as `head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failure),
  );

  const program = new Command('paddock')
    .description('A local LLM inference server with an OpenAI-style API for GGUF models')
    .version(version)
    .exitOverride()
    .showHelpAfterError('Try it with --help.')
    .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong usage or configuration, 130 stopped by Ctrl-C.');

  registerServe(program);
  // The server starts without the code of the other commands.
  if (process.argv[2] !== 'serve') (await import('./other-commands.ts')).registerOthers(program);

  try {
    if (LLAMA_SERVER_FLAGS.includes(process.argv[2] ?? ''))
      throw new UsageError(
        'models are not named by a flag: put the .gguf file into ~/.paddock/models, or name its folder, as in ' +
          'paddock serve --models <dir>; paddock pull hf:org/repo fetches one from the hub',
      );
    await program.parseAsync();
  } catch (error) {
    // Work that was started before the failure must not keep the process alive.
    process.exit(report(error));
  }
}

/** Prints the error, unless commander has done so. Returns the exit code. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  process.stderr.write(`${coloursFor(process.stderr).red('paddock:')} ${messageOf(error)}\n`);
  return exitCodeOf(error);
}
