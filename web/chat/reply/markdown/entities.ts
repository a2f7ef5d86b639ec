const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi;

const known = new Map<string, string>();

/** Replaces HTML entities such as `&copy;` with their characters. */
export function decodeEntities(text: string): string {
  return text.replace(ENTITY, (entity) => {
    const character = known.get(entity) ?? decode(entity);
    known.set(entity, character);
    return character;
  });
}

/** Decodes one entity with the browser's HTML parser, which gets the entity only. */
function decode(entity: string): string {
  return new DOMParser().parseFromString(entity, 'text/html').body.textContent ?? entity;
}
