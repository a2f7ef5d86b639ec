import { withoutMarks } from '../../chat/media-marks.ts';
import type { ChatPrompt, DecisionPrompt } from '../../contract/prompt.ts';
import { type Statement, statementText } from './texts.ts';

/** An answer that a question allows. */
export interface AnswerOption {
  /** The text with which the model would reply. */
  text: string;
  /** The meaning of the answer; null or '' if the text says it all. */
  description: Statement;
}

/** A question about a state, the same for both dialects. */
export interface StateQuestion {
  /** The name that the request gives it, or its place. */
  id: string;
  /** The request field with the question. */
  param: string;
  /** A predicate has the options yes and no. The options of a score are its levels, the lowest first. */
  type: 'predicate' | 'choice' | 'score';
  /** null or '' if the options say what is asked. */
  instructions: Statement;
  options: AnswerOption[];
}

/** A prompt that asks a question, and the answers of which the reply is one. */
export interface QuestionPrompt {
  prompt: ChatPrompt | DecisionPrompt;
  /** The client's text in it. */
  text: string;
  /** The spellings of each answer. */
  spellings: string[][];
  /** Turns the probabilities of the answers into those of the question's options, in their order. */
  read(weights: readonly number[]): number[];
}

/** Returns the options of a predicate. `yes` and `no` are their meanings. */
export function yesOrNo(yes: Statement = null, no: Statement = null): AnswerOption[] {
  return [
    { text: 'yes', description: yes },
    { text: 'no', description: no },
  ];
}

/** Returns the levels of a score as options: the model replies with the number of the level. */
export function levelOptions(levels: Statement[]): AnswerOption[] {
  return levels.map((description, level) => ({ text: String(level), description }));
}

/**
 * Returns the prompts of a question for a chat model. All prompts about one state begin with the same text, which ends behind the state. A choice is
 * asked twice: with its options sorted, so that their order in the request has no effect, and in reverse, so that no place in the list
 * is better than another one.
 */
export function promptsOf(state: string, question: StateQuestion): QuestionPrompt[] {
  const { type, options } = question;
  const given = [...options.keys()];
  const spelled = spellingsOf(options.map(({ text }) => text));
  const inOrder = (order: number[]): QuestionPrompt => {
    const asked = order.flatMap((index) => options[index] ?? []);
    const text = `${state}\n\n${ask(question, asked)}`;
    const spellings = order.map((index) => spelled[index] ?? []);
    return { prompt: userTurn(text), text, spellings, read: (weights) => inOptionOrder(weights, order) };
  };
  if (type !== 'choice') return [inOrder(given)];
  const textOf = (index: number) => options[index]?.text ?? '';
  const sorted = given.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
  return sorted.length < 2 ? [inOrder(sorted)] : [inOrder(sorted), inOrder(sorted.toReversed())];
}

function userTurn(text: string): ChatPrompt {
  return {
    kind: 'chat',
    messages: [{ role: 'user', content: withoutMarks(text) }],
    tools: [],
    toolChoice: 'none',
    parallelToolCalls: false,
    templateKwargs: {},
  };
}

/** Returns values that are in the given order of the options in the order of the question. */
export function inOptionOrder(values: readonly number[], order: readonly number[]): number[] {
  const ordered = order.map(() => 0);
  for (const [place, option] of order.entries()) ordered[option] = values[place] ?? 0;
  return ordered;
}

const ASKED = {
  predicate: 'Is it so?',
  choice: 'Which answer fits best?',
  score: 'Which level fits best?',
};

const LISTED = { predicate: 'Answers', choice: 'Answers', score: 'Levels' };

const WANTED = {
  predicate: 'Reply with yes or no only.',
  choice: 'Reply with one of these answers only.',
  score: 'Reply with the number of the level only.',
};

function ask({ type, instructions }: StateQuestion, options: AnswerOption[]): string {
  const meanings = options.map(({ text, description }) => ({ text, meaning: statementText(description) }));
  const isBare = type === 'predicate' && meanings.every(({ meaning }) => meaning === '');
  const lines = meanings.map(({ text, meaning }) => (meaning === '' ? `- ${text}` : `- ${text}: ${meaning}`));
  const list = isBare ? [] : [`${LISTED[type]}:`, ...lines];
  return [`Question: ${statementText(instructions) || ASKED[type]}`, ...list, WANTED[type]].join('\n');
}

/**
 * Returns the spellings of each text: the text itself, and with the first letter in the other case, unless that is a spelling of
 * another text. Each also comes with a space before it, as some vocabularies begin a reply.
 */
function spellingsOf(texts: string[]): string[][] {
  const taken = new Set(texts);
  return texts.map((text) => {
    const other = withOtherCase(text);
    const own = taken.has(other) ? [text] : [text, other];
    taken.add(other);
    return own.flatMap((spelling) => [spelling, ` ${spelling}`]);
  });
}

function withOtherCase(text: string): string {
  const [first = ''] = text;
  const upper = first.toUpperCase();
  return (upper === first ? first.toLowerCase() : upper) + text.slice(first.length);
}
