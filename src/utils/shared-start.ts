/** Returns the length of the text that both begin with. */
export function sharedStart(some: string, other: string): number {
  const most = Math.min(some.length, other.length);
  let length = 0;
  while (length < most && some[length] === other[length]) length++;
  return length;
}
