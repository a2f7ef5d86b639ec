/** A turn of writing takes no longer than this, in ms, but for a single item. Other requests are answered between two turns. */
const TURN_MS = 5;

/**
 * Returns the JSON text of an object whose fields may be long lists, as `JSON.stringify` does. Lists are written item by item, in turns, so
 * that a long one does not keep other requests waiting.
 */
export async function jsonInTurns(value: object): Promise<string> {
  let began = performance.now();
  const breathe = async () => {
    if (performance.now() - began < TURN_MS) return;
    await new Promise<void>((resolve) => setTimeout(resolve, 0));
    began = performance.now();
  };
  const listText = async (items: readonly unknown[]): Promise<string> => {
    const texts: string[] = [];
    for (const item of items) {
      texts.push(JSON.stringify(item) ?? 'null');
      if (texts.length % ITEMS_OF_A_LOOK === 0) await breathe();
    }
    return `[${texts.join(',')}]`;
  };
  const fields: string[] = [];
  for (const [name, field] of Object.entries(value)) {
    const text: string | undefined = Array.isArray(field) ? await listText(field) : JSON.stringify(field);
    if (text !== undefined) fields.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${fields.join(',')}}`;
}

/** The time is looked at once in this many items. */
const ITEMS_OF_A_LOOK = 16;
