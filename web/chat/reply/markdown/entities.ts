const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi;

const known = new Map<string, string>();

/** Puts characters in the place of HTML's names for them, such as `&copy;`. */
export function decodeEntities(text: string): string {
  return text.replace(ENTITY, (entity) => {
    const character = known.get(entity) ?? decode(entity);
    known.set(entity, character);
    return character;
  });
}

/** The browser knows all names. It is given nothing but the name. */
function decode(entity: string): string {
  return new DOMParser().parseFromString(entity, 'text/html').body.textContent ?? entity;
}
