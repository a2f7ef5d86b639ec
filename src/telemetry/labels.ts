/** The name of all that comes after the most names that a label may have. */
const REST = 'other';

/**
 * Bounds the values of a label: the first `most` stay as they are. Each value makes series that stay for as long as the server runs,
 * and models come and go.
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
