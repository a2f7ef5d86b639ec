import { readData } from './data.ts';
import { type PhraseEntry, phrasesOf } from './frames.ts';
import { usualParameters } from './tool-kinds.ts';

/**
 * A tool that many programs offer, and phrases that ask for it. `$a`, `$b`... stand for the values of its parameters.
 */
export interface DomainTool {
  names: string[];
  about: string[];
  parameters: Record<string, { kind: string; names: string[] }>;
  asks: string[];
}

interface DomainToolData {
  names: string[];
  about: string[];
  /** The name of a usual parameter, or a parameter of the tool's own. */
  parameters: Record<string, string | { kind: string; names: string[] }>;
  asks: PhraseEntry[];
}

export const domainTools: DomainTool[] = readData<DomainToolData[]>('tools').map((tool) => ({
  ...tool,
  parameters: Object.fromEntries(Object.entries(tool.parameters).map(([slot, given]) => [slot, parameter(given)])),
  asks: phrasesOf(tool.asks),
}));

function parameter(given: string | { kind: string; names: string[] }): { kind: string; names: string[] } {
  if (typeof given !== 'string') return given;
  const usual = usualParameters[given];
  if (!usual) throw new Error(`tool-parameters.json has no usual parameter ${given}`);
  return usual;
}

export const {
  /**
   * Tools that one program would offer together, by their first names. Only the question tells which one pico has to
   * call.
   */
  areas,
  /**
   * Tools that do nearly the same. They are never offered together, because no question could tell which one to call.
   */
  rivals,
} = readData<Record<'areas' | 'rivals', string[][]>>('tool-areas');
