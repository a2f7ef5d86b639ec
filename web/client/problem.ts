/** The reason why Paddock can't run in this page. */
export type StartProblemCode =
  | 'insecure_page'
  | 'missing_features'
  | 'storage_denied'
  | 'not_installed'
  | 'worker_unreachable'
  | 'not_controlled';

/** Paddock can't run in this page. The message tells people what helps. */
export class StartProblem extends Error {
  override readonly name = 'StartProblem';
  readonly code: StartProblemCode;
  /**
   * The missing feature or the failed file that the message names, for pages that write their own messages; empty if it
   * names none.
   */
  readonly detail: string;

  constructor(code: StartProblemCode, message: string, detail = '') {
    super(message);
    this.code = code;
    this.detail = detail;
  }
}
