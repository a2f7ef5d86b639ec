import { chatTemplateInvalid, invalidRequest } from '../contract/errors.ts';
import { messageOf } from '../utils/error-message.ts';
import { compileJinja, type RenderJinja } from './jinja/template.ts';
import { type ChatTemplate, createChatTemplate } from './template.ts';

/**
 * The templates of a model. Each is compiled when it is first rendered: a model whose template can't be read still takes prompts that
 * need no template. Then rendering throws a 500 `ApiError`.
 */
export interface ModelTemplates {
  chat: ChatTemplate;
  /** Renders the question to a decision model. Throws a 400 `ApiError` if the template does not take it. */
  decision: RenderJinja;
}

/** The sources of the templates, and the special tokens as text; '' if the model has none. */
export interface TemplateSources {
  chatTemplate: string | undefined;
  decisionTemplate?: string | undefined;
  bos: string;
  eos: string;
}

export function createModelTemplates(sources: TemplateSources): ModelTemplates {
  let chat: ChatTemplate | undefined;
  let decision: RenderJinja | undefined;
  return {
    chat(...conversation) {
      chat ??= readTemplate(sources);
      return chat(...conversation);
    },
    decision(values) {
      decision ??= readDecisionTemplate(sources);
      try {
        return decision(values);
      } catch (error) {
        const message = `The model's template for decisions does not take this question: ${messageOf(error)}`;
        throw invalidRequest(message, 'questions');
      }
    },
  };
}

function readTemplate(sources: TemplateSources): ChatTemplate {
  try {
    return createChatTemplate(sources.chatTemplate, sources);
  } catch (error) {
    throw chatTemplateInvalid(syntaxReason(error));
  }
}

function readDecisionTemplate({ decisionTemplate }: TemplateSources): RenderJinja {
  if (decisionTemplate === undefined) throw new Error('the model has no template for decisions');
  try {
    return compileJinja(decisionTemplate);
  } catch (error) {
    throw chatTemplateInvalid(syntaxReason(error));
  }
}

/** Returns the error of a template as words: the library's names of token types are replaced. */
function syntaxReason(error: unknown): string {
  if (!(error instanceof Error) || error instanceof TypeError) return 'it is not valid Jinja';
  const reason = error.message.replace(/^Parser Error: /, '').replace(/(?: \w+ !== \w+)?\.?$/, '');
  return reason
    .replace(/\.$/, '')
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`)
    .toLowerCase();
}
