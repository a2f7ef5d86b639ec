/** Things to ask that have one answer, in phrases as `expand` takes them. */
export interface Intent {
  ask: string[];
  answer: string[];
}
