/** The value for all values beyond the limit. */
const REST = 'other';

/**
 * Returns a function that bounds the values of a label: the first `most` values stay as they are, all later ones become `other`. Each
 * value makes series that stay in memory while the server runs, and models come and go.
 */
export function createBoundedLabel(most: number): (value: string) => string {
  const known = new Set<string>(['']);
  return (value) => {
    if (known.has(value)) return value;
    if (known.size > most) return REST;
    known.add(value);
    return value;
  };
}
