import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LONGEST } from './projects.ts';

/**
 * Begins with the long files. In a fresh clone vitest knows only how many bytes a file has, and one that takes a minute and
 * comes last leaves the other cores without work.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = LONGEST.findIndex((file) => moduleId.endsWith(`/${file}`));
      return found === -1 ? LONGEST.length : found;
    };
    const sorted = await super.sort(files);
    // Stable, so the others keep their order. The projects still run one after the other: vitest sees to that later.
    return sorted.sort((one, other) => place(one) - place(other));
  }
}
