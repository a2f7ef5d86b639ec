import { type DecisionModel, LABEL_DECISIONS } from '../contract/models/model.ts';
import type { Fields } from '../gguf/fields.ts';

/** The types of questions, and the numbers of options, that a temperature can be for. */
const QUESTIONS = ['noul', 'choice', 'score'];
const BUCKETS = ['', '.2', '.3_5', '.6_10', '.11', '.small', '.mid', '.large'];

/**
 * Reads from a header how a decision model is asked; undefined if the model is none, or of a type that does not answer with a
 * label.
 */
export function readDecisionModel(architecture: string, fields: Fields): DecisionModel | undefined {
  const named = fields.text(`${architecture}.decision.type`);
  const type = LABEL_DECISIONS.find((each) => each === named);
  if (type === undefined || fields.text('tokenizer.chat_template.systemone') === undefined) return undefined;
  const names = QUESTIONS.flatMap((question) => BUCKETS.map((bucket) => question + bucket));
  const found = names.flatMap((name) => {
    const temperature = fields.number(`${architecture}.decision.temperature.${name}`) ?? 0;
    return temperature > 0 ? [[name, temperature] as const] : [];
  });
  return { type, temperatures: Object.fromEntries(found) };
}
