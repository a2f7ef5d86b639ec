import { invalidRequest } from '../../contract/errors.ts';
import type { DecisionModel } from '../../contract/models/model.ts';
import type { DecisionValues } from '../../contract/prompt.ts';
import { isObject } from '../../utils/json.ts';
import { sum } from '../../utils/sum.ts';
import { inOptionOrder, type QuestionPrompt, type StateQuestion } from './question.ts';
import type { Statement } from './texts.ts';

// Prompts of models that are made for decisions. As in llama-server, the model's own template renders a question with its options, and the
// answer is read from the logits of the labels in place of a reply: the first label stands for the first option that the template gets.

/** The state of a request and its questions. */
export interface AskedQuestions {
  state: Statement;
  questions: StateQuestion[];
}

const CAPITALS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** The labels of each type. Whether two letters are one token depends on the vocabulary, so there are no labels of two. */
const LABELS: Record<DecisionModel['type'], readonly string[]> = {
  openjev: [...CAPITALS, ...CAPITALS.map((letter) => letter.toLowerCase())],
  lev: CAPITALS,
  nimble: CAPITALS,
  'pplx-decider': CAPITALS,
};

/** lev answers yes or no with one of so many ratings: the first is a certain no, the last a certain yes. */
const RATINGS = 9;

/** The names of the types of questions in templates and temperatures. */
const NAMES = { predicate: 'noul', choice: 'choice', score: 'score' } as const;

/**
 * Returns the prompts of a question for a decision model. lev is asked a choice twice, with its options in reverse the second time. Throws
 * a 400 `ApiError` for a question with more options than the model has labels.
 */
export function modelPrompts(
  model: DecisionModel,
  { state, questions }: AskedQuestions,
  question: StateQuestion,
): QuestionPrompt[] {
  const { type } = model;
  const labels = LABELS[type];
  const { length } = question.options;
  if (length > labels.length)
    throw invalidRequest(
      `${question.param} has ${length} options; this model takes at most ${labels.length}.`,
      question.param,
    );
  const given = orderOf(type, question);
  const isRated = type === 'lev' && question.type === 'predicate';
  const outputs = labels.slice(0, isRated ? RATINGS : length);
  const temperature = temperatureOf(model, question);
  const isTwofold = type === 'lev' && question.type === 'choice' && length > 1;
  return (isTwofold ? [given, given.toReversed()] : [given]).map((order) => {
    const values = {
      ...describe(type, question, order),
      state,
      images: [],
      ...(type === 'nimble' && { questions: questions.map((each) => describe(type, each, orderOf(type, each))) }),
    };
    return {
      prompt: { kind: 'decision', values: type === 'lev' ? withSortedKeys(values) : values },
      text: JSON.stringify(values),
      spellings: outputs.map((label) => [label]),
      read(weights) {
        const sharpened = scaled(weights, temperature);
        return isRated ? ofRatings(sharpened) : inOptionOrder(sharpened, order);
      },
    };
  });
}

/** Returns the order of the options. openjev's templates list yes before no, the others no before yes. */
function orderOf(type: DecisionModel['type'], question: StateQuestion): number[] {
  const order = [...question.options.keys()];
  return question.type === 'predicate' && type !== 'openjev' ? order.toReversed() : order;
}

/** Returns a question as templates get it. */
function describe(type: DecisionModel['type'], question: StateQuestion, order: number[]): DecisionValues {
  const keys = question.type === 'predicate' ? ['true', 'false'] : question.options.map(({ text }) => text);
  return {
    id: question.id,
    type: NAMES[question.type],
    instructions: question.instructions ?? '',
    options: order.map((index, place) => ({
      key: keys[index] ?? '',
      description: question.options[index]?.description ?? null,
      ...(type !== 'openjev' && { label: LABELS[type][place] ?? '' }),
    })),
  };
}

/** Returns by what the logits of a question's labels are divided. */
function temperatureOf({ type, temperatures }: DecisionModel, { type: kind, options }: StateQuestion): number {
  const name = NAMES[kind];
  const bucket = type === 'lev' ? levBucket(options.length) : bucketOf(options.length);
  return temperatures[`${name}.${bucket}`] ?? temperatures[name] ?? 1;
}

function bucketOf(options: number): string {
  if (options <= 2) return '2';
  if (options <= 5) return '3_5';
  return options <= 10 ? '6_10' : '11';
}

function levBucket(options: number): string {
  if (options <= 8) return 'small';
  return options <= 26 ? 'mid' : 'large';
}

/** Returns the probabilities that belong to the logits of these probabilities, divided by a temperature. */
function scaled(probabilities: readonly number[], temperature: number): number[] {
  const powers = probabilities.map((probability) => probability ** (1 / temperature));
  const total = sum(powers);
  return total === 0 ? [...probabilities] : powers.map((power) => power / total);
}

/** Returns the probabilities of yes and of no: yes is the expected rating. */
function ofRatings(weights: readonly number[]): number[] {
  const yes = sum(weights.map((weight, rating) => (weight * rating) / (RATINGS - 1)));
  return [yes, 1 - yes];
}

/** Sorts the keys of all objects in a JSON value, as lev was trained. */
function withSortedKeys<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withSortedKeys) as T;
  if (!isObject(value)) return value;
  const keys = Object.keys(value).toSorted();
  return Object.fromEntries(keys.map((key) => [key, withSortedKeys((value as Record<string, unknown>)[key])])) as T;
}
