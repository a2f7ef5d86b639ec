/** What a model takes besides text. */
export interface Senses {
  vision: boolean;
  audio: boolean;
}

/** Those that it has, by their names. */
export function sensesIn({ vision, audio }: Senses): string[] {
  return [...(vision ? ['vision'] : []), ...(audio ? ['audio'] : [])];
}
