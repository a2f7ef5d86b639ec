// @module-tag slow
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { detectFormat, toolVariants, toTemplateMessages } from '../../../src/chat/formats/index.ts';
import { compileJinja } from '../../../src/chat/jinja/template.ts';
import { noJinja2, readBundle } from './bundle.ts';
import { CONVERSATIONS } from './conversations.ts';

// Every template of llama.cpp's tests is rendered here and by Python's jinja2, with the same variables.

/** A text, or undefined if the template refuses the conversation. */
type Rendering = string | undefined;

interface Compared {
  template: string;
  conversation: string;
  ours: Rendering;
  theirs: Rendering;
}

/** The templates of which the texts differ, and why they are meant to. */
const OTHERWISE: Record<string, string> = {
  'meetkai-functionary-medium-v3.1':
    'jinja2 turns characters of the tools into HTML, because of the filter `safe` of its text. The model was not trained on HTML.',
  'llama-cpp-deepseek-r1': 'jinja2 refuses to write a generator as JSON. The library writes the list.',
};

describe.skipIf(noJinja2)(`the templates of the bundle${noJinja2 ? ` (skipped: ${noJinja2})` : ''}`, () => {
  let compared: Compared[];
  let unequal: Compared[];

  beforeAll(() => {
    compared = compareAll(readBundle().templates);
    unequal = compared.filter(({ ours, theirs }) => ours !== theirs);
  }, 120_000);

  it('are rendered as jinja2 renders them, or are meant to be rendered otherwise', () => {
    const unexpected = unequal.filter(({ template }) => !(template in OTHERWISE));
    expect(unexpected.map(({ template, conversation }) => `${template}: ${conversation}`)).toEqual([]);
  });

  it('differ where they are meant to', () => {
    expect(new Set(unequal.map(({ template }) => template))).toEqual(new Set(Object.keys(OTHERWISE)));
  });

  it('take most conversations', () => {
    const refused = compared.filter(({ ours }) => ours === undefined);
    expect(compared.length).toBeGreaterThanOrEqual(800);
    expect(refused.length).toBeLessThan(compared.length * 0.04);
  });
});

function compareAll(templates: Map<string, string>): Compared[] {
  const renderings = [...templates].flatMap(([template, source]) => {
    const format = detectFormat(source);
    return CONVERSATIONS.map(({ name, messages, tools, kwargs }) => {
      const [shown] = toolVariants(tools);
      const variables = {
        ...kwargs,
        messages: toTemplateMessages(messages, format),
        ...(shown && { tools: shown }),
        add_generation_prompt: true,
        bos_token: '<BOS>',
        eos_token: '<EOS>',
      };
      return { template, conversation: name, variables };
    });
  });
  const theirs = renderWithJinja2(templates, renderings);
  const compiled = new Map([...templates].map(([name, source]) => [name, compileJinja(source)]));
  return renderings.map(({ template, conversation, variables }, index) => ({
    template,
    conversation,
    ours: orUndefined(() => compiled.get(template)?.(variables)),
    theirs: theirs[index],
  }));
}

function renderWithJinja2(templates: Map<string, string>, renderings: unknown[]): Rendering[] {
  const input = JSON.stringify({ templates: Object.fromEntries(templates), renderings });
  const script = join(import.meta.dirname, 'render.py');
  const output = execFileSync('python3', [script], { input, maxBuffer: 256 * 1024 * 1024 });
  return (JSON.parse(output.toString()) as { text?: string }[]).map(({ text }) => text);
}

function orUndefined(render: () => Rendering): Rendering {
  try {
    return render();
  } catch {
    return undefined;
  }
}
