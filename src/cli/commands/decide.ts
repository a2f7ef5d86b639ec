import { text as readAll } from 'node:stream/consumers';
import type { Command } from 'commander';
import { UsageError } from '../../serve/errors.ts';
import { coloursFor, formatTable, print, printJson } from '../../serve/output.ts';
import { chooseModel } from '../client/choose-model.ts';
import type { DecisionAnswer } from '../client/client.ts';
import { reachServer } from '../client/reach.ts';
import { addClientOptions, wantedServer } from './client-options.ts';

/**
 * `paddock decide`: one question to POST /v1/decisions. The command fails with a `UsageError` for an empty text, and
 * for choices and levels together.
 */
export function registerDecide(program: Command): void {
  const command = program
    .command('decide')
    .description('ask a model a yes-or-no question, or to choose, about a text: prints the probability of each answer')
    .argument('<question>', 'the question')
    .argument('[model]', 'its id (default: the first that is loaded, else the first that can chat)')
    .option('--state <text>', 'the text that the question is about (default: the standard input)')
    .option('--choices <list>', 'the answers to choose from, with commas between them')
    .option('--levels <list>', 'the levels of a scale, the lowest first, with commas between them')
    .option('--json', 'print the answer of the API');
  addClientOptions(command).action(decide);
}

async function decide(
  instructions: string,
  model: string | undefined,
  options: Record<string, unknown>,
): Promise<void> {
  const question = { instructions, ...toQuestion(options.choices, options.levels) };
  const wanted = wantedServer(options);
  const state = typeof options.state === 'string' ? options.state : (await readAll(process.stdin)).trim();
  if (state === '') throw new UsageError('there is nothing to decide about: the state is empty');
  await using reached = await reachServer(wanted);
  const { client } = reached;
  const { id } = chooseModel(await client.models(), model);
  const answer = await client.decide({ model: id, input: state, questions: [question] });
  if (options.json) return printJson(answer);
  print(describe(answer));
}

function toQuestion(choices: unknown, levels: unknown): object {
  if (choices !== undefined && levels !== undefined) throw new UsageError('--choices and --levels exclude each other');
  if (typeof choices === 'string') return { type: 'choice', choices: listOf(choices).map((value) => ({ value })) };
  if (typeof levels === 'string') return { type: 'score', levels: listOf(levels).map((label) => ({ label })) };
  return { type: 'predicate' };
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function describe(answer: DecisionAnswer): string {
  const colours = coloursFor(process.stdout);
  const rows: [string, number][] =
    answer.type === 'predicate'
      ? [
          ['yes', answer.probability],
          ['no', 1 - answer.probability],
        ]
      : answer.probabilities.map(({ label, value, probability }) => [label ?? String(value), probability]);
  const table = formatTable(
    [['answer', 'probability'], ...rows.map(([name, probability]) => [name, `${(100 * probability).toFixed(1)} %`])],
    { right: [1], colours },
  );
  return answer.type === 'score' ? `${table}\nscore ${answer.score.toFixed(2)}` : table;
}
