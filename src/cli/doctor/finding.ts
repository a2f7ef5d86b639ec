/** The result of one check of `paddock doctor`. */
export interface Finding {
  id: string;
  title: string;
  /** `fail` means that the server can't serve, `warn` that something needs a look, `info` neither good nor bad. */
  status: 'ok' | 'info' | 'warn' | 'fail';
  detail: string;
}
