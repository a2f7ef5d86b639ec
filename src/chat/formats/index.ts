import { commandR7b } from './families/command-r7b.ts';
import { deepseek, deepseekR1 } from './families/deepseek.ts';
import { functionary } from './families/functionary.ts';
import { gemma } from './families/gemma.ts';
import { generic } from './families/generic.ts';
import { glm } from './families/glm.ts';
import { granite } from './families/granite.ts';
import { harmony } from './families/harmony.ts';
import { hermes } from './families/hermes.ts';
import { kimi } from './families/kimi.ts';
import { llama3 } from './families/llama3.ts';
import { mistral, mistralNemo } from './families/mistral.ts';
import { phi4 } from './families/phi4.ts';
import { qwen3Coder } from './families/qwen3-coder.ts';
import type { ChatFormat } from './format.ts';

export { toTemplateMessages } from './history.ts';
export { toolVariants } from './shown-tools.ts';
export { describeTools, endsInReasoning, supportsToolCalls, supportsTools } from './template-support.ts';

/**
 * All formats. The first that matches a template is used: some also match templates of earlier formats, and the last
 * matches all.
 */
export const formats: ChatFormat[] = [
  harmony,
  functionary,
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

/** Returns the format that a model with this chat template writes. */
export function detectFormat(template: string | undefined): ChatFormat {
  return formats.find(({ matches }) => matches(template ?? '')) ?? generic;
}
