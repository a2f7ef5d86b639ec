import { commandR7b } from './command-r7b.ts';
import { deepseek, deepseekR1 } from './deepseek.ts';
import type { ChatFormat } from './format.ts';
import { functionary } from './functionary.ts';
import { gemma } from './gemma.ts';
import { generic } from './generic.ts';
import { glm } from './glm.ts';
import { granite } from './granite.ts';
import { harmony } from './harmony.ts';
import { hermes } from './hermes.ts';
import { kimi } from './kimi.ts';
import { llama3 } from './llama3.ts';
import { mistral, mistralNemo } from './mistral.ts';
import { phi4 } from './phi4.ts';
import { qwen3Coder } from './qwen3-coder.ts';

export { toTemplateMessages } from './history.ts';
export { toolVariants } from './shown-tools.ts';
export { describeTools, endsInReasoning, supportsToolCalls, supportsTools } from './template-support.ts';

/** All formats. The order counts: some match the templates of those before them, and the last matches everything. */
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
