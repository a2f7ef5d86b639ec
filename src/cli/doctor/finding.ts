/** The result of one check of `paddock doctor`. */
export interface Finding {
  id: string;
  title: string;
  /** `fail`: the server can't serve. `warn`: something may need a change. `info`: neither good nor bad. */
  status: 'ok' | 'info' | 'warn' | 'fail';
  detail: string;
}
