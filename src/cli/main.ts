#!/usr/bin/env node
import { Command } from 'commander';
import { parseServeConfig, serveOptions } from './config.ts';
import { serve } from './serve.ts';
import { version } from './version.ts';

const program = new Command('paddock')
  .description('A local LLM inference server with an OpenAI-style API for GGUF models')
  .version(version);

const serveCommand = program
  .command('serve')
  .description('serve the API over HTTP')
  .action(async (options: Record<string, unknown>) => serve(parseServeConfig(options, process.env)));
for (const option of serveOptions()) serveCommand.addOption(option);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`paddock: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
