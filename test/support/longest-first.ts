import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LONGEST } from './projects.ts';

/**
 * Starts the long files first. In a fresh clone vitest sorts by file size, and a file that takes a minute and starts
 * last leaves the other cores idle.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = LONGEST.findIndex((file) => moduleId.endsWith(`/${file}`));
      return found === -1 ? LONGEST.length : found;
    };
    const sorted = await super.sort(files);
    // The sort is stable, so the other files keep their order. Vitest still runs one project after the other.
    return sorted.sort((one, other) => place(one) - place(other));
  }
}
