import * as v from 'valibot';
import { invalidRequest } from '../../contract/errors.ts';
import { list, nonEmptyText, oneOf, plainObject, validateField } from '../fields/fields.ts';
import { keepAliveField } from '../fields/keep-alive.ts';
import { levelOptions, type StateQuestion, yesOrNo } from './question.ts';
import { noFiles, statement, statementText } from './texts.ts';

/** The most questions of a request, and the most options of a choice. */
const MOST_QUESTIONS = 64;
const MOST_OPTIONS = 255;
const MOST_LEVELS = 10;

const state = v.pipe(
  statement,
  v.check((value) => typeof value !== 'string' || value.trim() !== '', 'must not be empty'),
);

/** The body of POST /v1/systemone. The values of `questions` are checked by `readQuestions`. */
export const systemOneRequestSchema = v.looseObject(
  {
    model: nonEmptyText,
    state,
    questions: v.pipe(
      plainObject('must be an object with a question under each id'),
      v.check((value) => Object.keys(value).length > 0, 'must have at least 1 question'),
      v.check((value) => Object.keys(value).length <= MOST_QUESTIONS, `must have at most ${MOST_QUESTIONS} questions`),
    ),
    images: noFiles,
    files: noFiles,
    videos: noFiles,
    stream: v.nullish(v.literal(false, 'must be false: a decision is no stream')),
    keep_alive: v.nullish(keepAliveField),
  },
  'must be a JSON object',
);

const kind = v.looseObject(
  { type: oneOf(['noul', 'choice', 'score']), instructions: v.nullish(statement) },
  'must be an object with a type',
);

const noulCriteria = v.strictObject(
  { true: v.nullish(statement), false: v.nullish(statement) },
  'must be an object with no fields but true and false',
);
const noul = v.looseObject({ criteria: v.nullish(noulCriteria) });

const labels = 'must be an object with a description, or null, under each label';
const choice = v.looseObject({ criteria: plainObject(labels) });

const level = v.nullable(statement, null);
const score = v.looseObject({
  criteria: v.pipe(
    list(level, MOST_LEVELS, 'levels', 'must be an array of descriptions, the lowest level first'),
    v.minLength(2, 'must have at least 2 levels'),
  ),
});

/** A question of System One with its id, and the levels of a score as they were sent. */
export interface SystemOneQuestion extends StateQuestion {
  id: string;
  levels: (string | object | null)[];
}

/** Reads the questions by their ids. Throws a 400 `ApiError` that names the first wrong field. */
export function readQuestions(questions: Record<string, unknown>): SystemOneQuestion[] {
  // A schema of records would leave out ids such as `__proto__`.
  return Object.entries(questions).map(([id, question]) => {
    const param = `questions.${id}`;
    return { ...readQuestion(id, question, param), param };
  });
}

function readQuestion(id: string, question: unknown, param: string): Omit<SystemOneQuestion, 'param'> {
  const { type, ...common } = validateField(kind, question, param);
  const instructions = common.instructions ?? null;
  switch (type) {
    case 'noul': {
      const { criteria } = validateField(noul, question, param);
      const [yes, no] = [criteria?.true ?? null, criteria?.false ?? null];
      if ([instructions, yes, no].every((each) => statementText(each) === ''))
        throw invalidRequest(`${param} needs instructions or criteria.`, `${param}.instructions`);
      return { id, type: 'predicate', instructions, options: yesOrNo(yes, no), levels: [] };
    }
    case 'choice': {
      const { criteria } = validateField(choice, question, param);
      const entries = Object.entries(criteria);
      checkLabels(entries, `${param}.criteria`);
      const options = entries.map(([text, meaning]) => ({
        text,
        description: validateField(v.nullish(statement, null), meaning, `${param}.criteria.${text}`),
      }));
      return { id, type, instructions, options, levels: [] };
    }
    case 'score': {
      const { criteria } = validateField(score, question, param);
      return { id, type, instructions, options: levelOptions(criteria), levels: criteria };
    }
    default:
      return type satisfies never;
  }
}

function checkLabels(entries: [string, unknown][], param: string): void {
  if (entries.length === 0) throw invalidRequest(`${param} must have at least 1 label.`, param);
  if (entries.length > MOST_OPTIONS) throw invalidRequest(`${param} must have at most ${MOST_OPTIONS} labels.`, param);
  if (entries.some(([label]) => label.trim() === '')) throw invalidRequest(`${param} has an empty label.`, param);
}
