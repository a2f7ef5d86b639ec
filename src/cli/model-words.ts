import type { ListedModel } from '../contract/models/model.ts';
import { sensesIn } from '../contract/models/senses.ts';

/** Returns the purpose of a model in a word or two. */
export function purposeOf({ capabilities }: ListedModel): string {
  if (capabilities.embedding) return 'embedding';
  if (capabilities.rerank) return 'rerank';
  return ['chat', ...sensesIn(capabilities)].join(', ');
}

/** Returns the quantization from the tags, such as `Q4_K_M`; empty if there is none. */
export function quantizationOf({ metadata }: ListedModel): string {
  return metadata.tags.find((tag) => /^(I?Q\d|TQ\d|B?F16|F32|F64|MXFP4|MOSTLY_|ALL_)/i.test(tag)) ?? '';
}
