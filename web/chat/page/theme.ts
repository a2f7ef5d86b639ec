/** The colours of the page. `system` follows the operating system or the browser. */
export type Theme = 'system' | 'light' | 'dark';
