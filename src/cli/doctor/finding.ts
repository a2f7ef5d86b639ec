/** One thing that `paddock doctor` looked at. */
export interface Finding {
  id: string;
  title: string;
  /** `warn` is worth a look, `fail` keeps the server from serving, `info` is neither good nor bad. */
  status: 'ok' | 'info' | 'warn' | 'fail';
  detail: string;
}
