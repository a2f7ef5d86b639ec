import { cohere2, commandR7b } from './families/command-r7b.ts';
import { deepseek, deepseekR1 } from './families/deepseek.ts';
import { functionary } from './families/functionary.ts';
import { gemma } from './families/gemma.ts';
import { generic } from './families/generic.ts';
import { glm } from './families/glm.ts';
import { granite } from './families/granite.ts';
import { harmony } from './families/harmony.ts';
import { hermes } from './families/hermes.ts';
import { kimi } from './families/kimi.ts';
import { kimiK3 } from './families/kimi-k3.ts';
import { lfm2 } from './families/lfm2.ts';
import { llama3 } from './families/llama3.ts';
import { minimaxM3 } from './families/minimax-m3.ts';
import { mistral, mistralNemo } from './families/mistral.ts';
import { muse } from './families/muse.ts';
import { phi4 } from './families/phi4.ts';
import { qwen3Coder } from './families/qwen3-coder.ts';
import { type FormatPlan, formatOfPlan, planFormat } from './find.ts';
import type { ChatFormat } from './format.ts';

export type { FormatPlan, FormatSource } from './find.ts';
export { toTemplateMessages } from './history.ts';
export { toolVariants } from './shown-tools.ts';
export {
  describeTools,
  endsInReasoning,
  showsReasoning,
  supportsToolCalls,
  supportsTools,
} from './template-support.ts';

/**
 * All formats. The first that matches a template is used: some also match templates of earlier formats, and the last
 * matches all.
 */
export const formats: ChatFormat[] = [
  harmony,
  functionary,
  muse,
  kimiK3,
  minimaxM3,
  lfm2,
  cohere2,
  commandR7b,
  kimi,
  deepseekR1,
  deepseek,
  gemma,
  glm,
  qwen3Coder,
  mistral,
  mistralNemo,
  granite,
  phi4,
  hermes,
  llama3,
  generic,
];

/** The plans of the templates that were seen last. A server has few models, and to find a format takes milliseconds. */
const known = new Map<string, FormatPlan>();
const MAX_KNOWN = 32;

/**
 * Finds the format that a model with this chat template writes. It renders the template, which may take long: a
 * template is code that a stranger wrote.
 */
export function findFormat(template = ''): FormatPlan {
  const plan = known.get(template) ?? planFormat(template, formats, generic);
  known.delete(template);
  known.set(template, plan);
  const [oldest] = known.keys();
  if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  return plan;
}

/** Makes the format that was found for a template. It renders nothing. */
export function formatOf(plan: FormatPlan): ChatFormat {
  return formatOfPlan(plan, formats, generic);
}

/** Returns the format that a model with this chat template writes. It renders the template as `findFormat` does. */
export function detectFormat(template: string | undefined): ChatFormat {
  return formatOf(findFormat(template));
}
