/** Makes an id for something of a reply that clients refer to later, such as `call_...` for a tool call. */
export function newId(prefix: string): string {
  return `${prefix}_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`;
}
