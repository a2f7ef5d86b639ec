/** An answer that a question allows. */
export interface AnswerOption {
  /** The text with which the model would reply. */
  text: string;
  /** The meaning of the answer; '' if the text says it all. */
  description: string;
}

/** A question about a state, the same for both dialects. */
export interface StateQuestion {
  /** A predicate has the options yes and no. The options of a score are its levels, the lowest first. */
  type: 'predicate' | 'choice' | 'score';
  /** '' if the options say what is asked. */
  instructions: string;
  options: AnswerOption[];
}

/** A prompt that asks a question, and the options of which the reply is one. */
export interface QuestionPrompt {
  text: string;
  /** The indexes of the question's options, in the order of `spellings`. */
  order: number[];
  /** The spellings of each option. */
  spellings: string[][];
}

/** Returns the options of a predicate. `yes` and `no` are their meanings. */
export function yesOrNo(yes = '', no = ''): AnswerOption[] {
  return [
    { text: 'yes', description: yes },
    { text: 'no', description: no },
  ];
}

/** Returns the levels of a score as options: the model replies with the number of the level. */
export function levelOptions(levels: string[]): AnswerOption[] {
  return levels.map((description, level) => ({ text: String(level), description }));
}

/**
 * Returns the prompts of a question. All prompts about one state begin with the same text, which ends behind the state. A choice is
 * asked twice: with its options sorted, so that their order in the request has no effect, and in reverse, so that no place in the list
 * is better than another one.
 */
export function promptsOf(state: string, question: StateQuestion): QuestionPrompt[] {
  const { type, options } = question;
  const given = [...options.keys()];
  const spelled = spellingsOf(options.map(({ text }) => text));
  const inOrder = (order: number[]): QuestionPrompt => ({
    text: `${state}\n\n${ask(
      question,
      order.flatMap((index) => options[index] ?? []),
    )}`,
    order,
    spellings: order.map((index) => spelled[index] ?? []),
  });
  if (type !== 'choice') return [inOrder(given)];
  const textOf = (index: number) => options[index]?.text ?? '';
  const sorted = given.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
  return sorted.length < 2 ? [inOrder(sorted)] : [inOrder(sorted), inOrder(sorted.toReversed())];
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
  const isBare = type === 'predicate' && options.every(({ description }) => description === '');
  const lines = options.map(({ text, description }) =>
    description === '' ? `- ${text}` : `- ${text}: ${description}`,
  );
  const list = isBare ? [] : [`${LISTED[type]}:`, ...lines];
  return [`Question: ${instructions === '' ? ASKED[type] : instructions}`, ...list, WANTED[type]].join('\n');
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
