import { Template } from '@huggingface/jinja';
import { mendProgram } from './mend.ts';
import { PYTHON_FUNCTIONS } from './python.ts';

/** Renders a template with these variables. Throws if the template refuses them. */
export type RenderJinja = (variables: Record<string, unknown>) => string;

/**
 * Compiles a Jinja template so that it renders as in Python's jinja2. The library leaves out some of Python: its gaps
 * are mended in the parsed template. Throws if the template is not valid Jinja.
 */
export function compileJinja(source: string): RenderJinja {
  const template = new Template(source);
  mendProgram(template.parsed);
  return (variables) => template.render({ ...variables, ...PYTHON_FUNCTIONS });
}
