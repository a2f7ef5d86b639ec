/** Makes an id for a part of a reply that clients refer to later, such as `call_...` for a tool call. */
export function newPrefixedId(prefix: string): string {
  return `${prefix}_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`;
}
