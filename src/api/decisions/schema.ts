import * as v from 'valibot';
import { invalidRequest } from '../../contract/errors.ts';
import { list, nonEmptyText, objectField, oneOf, textField, validateField } from '../fields/fields.ts';
import { keepAliveField } from '../fields/keep-alive.ts';
import { contentText } from './input.ts';
import { levelOptions, type StateQuestion, yesOrNo } from './question.ts';

const MOST_QUESTIONS = 400;
const MOST_ITEMS = 2048;

const questionsMessage = 'must be an array of questions';
const inputMessage = 'must be a string or an array of items';

/** The body of POST /v1/decisions. The items of `input` are read by `inputText`, and the questions by `readDecisions`. */
export const decisionRequestSchema = v.looseObject(
  {
    model: nonEmptyText,
    input: v.union([nonEmptyText, list(v.unknown(), MOST_ITEMS, 'items', inputMessage)], inputMessage),
    questions: v.pipe(
      list(v.unknown(), MOST_QUESTIONS, 'questions', questionsMessage),
      v.nonEmpty('must have at least 1 question'),
    ),
    prompt_cache_key: v.nullish(textField),
    prompt_cache_options: v.nullish(objectField({}, 'must be an object')),
    safety_identifier: v.nullish(textField),
    stream: v.nullish(v.literal(false, 'must be false: a decision is no stream')),
    keep_alive: v.nullish(keepAliveField),
  },
  'must be a JSON object',
);

const kind = v.looseObject(
  { type: oneOf(['predicate', 'choice', 'score']), name: v.nullish(textField), instructions: v.unknown() },
  'must be an object with a type',
);

const description = v.nullish(textField);
const value = v.union([nonEmptyText, v.boolean()], 'must be a string or a boolean');
const choices = v.looseObject({
  choices: v.pipe(
    list(objectField({ value, description }, 'must be an object with a value'), 255, 'choices', 'must be an array'),
    v.minLength(2, 'must have at least 2 choices'),
  ),
});
const levels = v.looseObject({
  levels: v.pipe(
    list(
      objectField({ label: nonEmptyText, description }, 'must be an object with a label'),
      10,
      'levels',
      'must be an array',
    ),
    v.minLength(2, 'must have at least 2 levels'),
  ),
});

/** A question of a request for decisions. */
export interface AskedDecision extends StateQuestion {
  name: string | null;
  /** The values of a choice's options, as they were sent. */
  values: (string | boolean)[];
  /** The labels of a score's levels. */
  labels: string[];
}

/** Reads the questions. Throws a 400 `ApiError` that names the first wrong field, and for two questions of the same name. */
export function readDecisions(questions: unknown[]): AskedDecision[] {
  const decisions = questions.map((question, index) => {
    const param = `questions[${index}]`;
    const decision = readDecision(question, param);
    return { ...decision, id: decision.name ?? String(index), param };
  });
  const names = decisions.flatMap(({ name }, index) => (name === null ? [] : [{ name, index }]));
  const repeated = names.find(({ name, index }) => names.some((other) => other.name === name && other.index < index));
  if (!repeated) return decisions;
  const param = `questions[${repeated.index}].name`;
  throw invalidRequest(`${param} is '${repeated.name}', as that of a question before it.`, param);
}

function readDecision(question: unknown, param: string): Omit<AskedDecision, 'id' | 'param'> {
  const { type, name = null, ...common } = validateField(kind, question, param);
  const instructions = contentText(common.instructions, `${param}.instructions`);
  const asked = { name, instructions, values: [], labels: [] };
  switch (type) {
    case 'predicate':
      return { ...asked, type, options: yesOrNo() };
    case 'choice': {
      const { choices: given } = validateField(choices, question, param);
      const options = given.map(({ value, description }) => ({
        text: String(value),
        description: description ?? null,
      }));
      const texts = options.map(({ text }) => text);
      const double = texts.findIndex((text, index) => texts.indexOf(text) < index);
      const place = `${param}.choices[${double}].value`;
      if (double >= 0) throw invalidRequest(`${place} is '${texts[double]}', as that of a choice before it.`, place);
      return { ...asked, type, options, values: given.map(({ value }) => value) };
    }
    case 'score': {
      const { levels: given } = validateField(levels, question, param);
      const labels = given.map(({ label }) => label);
      const texts = given.map(({ label, description }) => (description ? `${label}: ${description}` : label));
      return { ...asked, type, options: levelOptions(texts), labels };
    }
    default:
      return type satisfies never;
  }
}
