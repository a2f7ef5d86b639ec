/** The kinds of input that a model takes besides text. */
export interface Senses {
  vision: boolean;
  audio: boolean;
}

/** Lists the names of the senses that the model has. */
export function sensesIn({ vision, audio }: Senses): string[] {
  return [...(vision ? ['vision'] : []), ...(audio ? ['audio'] : [])];
}
