import * as v from 'valibot';
import { invalidRequest, unsupportedParameter } from '../../contract/errors.ts';
import { isObject } from '../../utils/json.ts';
import { oneOf, textField, validateField } from '../fields/fields.ts';
import { statement, statementText } from './texts.ts';

/** The deepest JSON of an `input_json` part, in levels. */
const DEEPEST = 32;

const typed = v.looseObject({ type: v.optional(textField, 'message') }, 'must be an object with a type');
const textPart = v.looseObject({ text: textField });
const refusalPart = v.looseObject({ refusal: textField });
const jsonPart = v.looseObject({ data: statement });
const message = v.looseObject({ role: oneOf(['user', 'assistant', 'system', 'developer']), content: v.unknown() });
const functionCall = v.looseObject({ call_id: textField, name: textField, arguments: textField });
const customCall = v.looseObject({ call_id: textField, name: textField, input: textField });
const callOutput = v.looseObject({ call_id: textField, output: v.unknown() });

/**
 * Returns the text of a state. Items become the lines of a transcript, with their roles; a state that is one text stays as it is. Throws
 * a 400 `ApiError` that names an item which is wrong or which is no text.
 */
export function inputText(input: string | unknown[]): string {
  if (typeof input === 'string') return input;
  if (input.length === 0) throw invalidRequest('input must not be empty.', 'input');
  const calls = new Map<string, string>();
  return input.map((item, index) => itemText(item, `input[${index}]`, calls)).join('\n');
}

/** Returns the text of a content: a string, or parts. Throws as `inputText` does. */
export function contentText(content: unknown, param: string): string {
  if (typeof content === 'string') return content;
  if (content === undefined || content === null) throw invalidRequest(`${param} is required.`, param);
  if (!Array.isArray(content)) throw invalidRequest(`${param} must be a string or an array of parts.`, param);
  return content.map((part, index) => partText(part, `${param}[${index}]`)).join('\n');
}

/** @param calls the names of the calls so far, by their ids */
function itemText(item: unknown, param: string, calls: Map<string, string>): string {
  const { type } = validateField(typed, item, param);
  switch (type) {
    case 'message': {
      const { role, content } = validateField(message, item, param);
      return `${role}: ${contentText(content, `${param}.content`)}`;
    }
    case 'function_call': {
      const { call_id, name, arguments: text } = validateField(functionCall, item, param);
      calls.set(call_id, name);
      return `call of ${name}: ${text}`;
    }
    case 'custom_tool_call': {
      const { call_id, name, input } = validateField(customCall, item, param);
      calls.set(call_id, name);
      return `call of ${name}: ${input}`;
    }
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const { call_id, output } = validateField(callOutput, item, param);
      const name = calls.get(call_id);
      if (name === undefined)
        throw invalidRequest(`${param}.call_id is '${call_id}', which no call before it has.`, `${param}.call_id`);
      return `result of ${name}: ${contentText(output, `${param}.output`)}`;
    }
    default:
      return partText(item, param);
  }
}

function partText(part: unknown, param: string): string {
  const { type } = validateField(typed, part, param);
  switch (type) {
    case 'input_text':
    case 'output_text':
      return validateField(textPart, part, param).text;
    case 'refusal':
      return validateField(refusalPart, part, param).refusal;
    case 'input_json': {
      const { data } = validateField(jsonPart, part, param);
      if (isDeeper(data, DEEPEST))
        throw invalidRequest(`${param}.data must have at most ${DEEPEST} levels.`, `${param}.data`);
      return statementText(data);
    }
    case 'input_image':
      throw unsupportedParameter(param, `${param} is an image: decisions read text only.`);
    default:
      throw invalidRequest(`${param}.type is '${type}', which is not known here.`, `${param}.type`);
  }
}

/** True if JSON has more than `levels` objects and arrays inside each other. */
function isDeeper(value: unknown, levels: number): boolean {
  if (!isObject(value) && !Array.isArray(value)) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
