import type { Model } from '../contract/models/model.ts';
import { sensesIn } from '../contract/models/senses.ts';

/** A Model object as it stands in lists. */
export type Listed = Omit<Model, 'sources'>;

/** Returns the purpose of a model in a word or two. */
export function kindOf({ capabilities }: Listed): string {
  if (capabilities.embedding) return 'embedding';
  if (capabilities.rerank) return 'rerank';
  return ['chat', ...sensesIn(capabilities)].join(', ');
}

/** Returns the quantization, such as `Q4_K_M`, which is one of the tags; '' if there is none. */
export function quantizationOf({ metadata }: Listed): string {
  return metadata.tags.find((tag) => /^(I?Q\d|TQ\d|B?F16|F32|F64|MXFP4|MOSTLY_|ALL_)/i.test(tag)) ?? '';
}
