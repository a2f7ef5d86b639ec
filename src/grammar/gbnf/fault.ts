/** Thrown for a grammar's text that can't be read. The message completes the sentence "Line 3 of the grammar ...". */
export class GrammarFault extends Error {
  /** The offset of the fault in the text. */
  readonly at: number;

  constructor(reason: string, at: number) {
    super(reason);
    this.at = at;
  }
}
