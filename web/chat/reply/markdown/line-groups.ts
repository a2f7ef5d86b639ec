/** A group has at least as many lines, if there are so many. */
const SHORTEST = 40;
/** It ends by then wherever that is. */
const LONGEST = 80;

/**
 * Cuts code into groups of lines, each with its line breaks. While code grows, only its last group changes. A group ends
 * before a line that begins at the margin after an empty one, where seldom a comment or a text goes on.
 */
export function lineGroups(code: string): string[] {
  const groups: string[] = [];
  let start = 0;
  let count = 0;
  let blank = false;
  for (let at = 0; at < code.length; ) {
    const beginsAnew = blank && !/\s/.test(code.charAt(at));
    if (count >= LONGEST || (count >= SHORTEST && beginsAnew)) {
      groups.push(code.slice(start, at));
      start = at;
      count = 0;
    }
    const end = code.indexOf('\n', at);
    blank = end === at;
    at = end < 0 ? code.length : end + 1;
    count += 1;
  }
  return [...groups, code.slice(start)];
}
