// The address contains the id of the open conversation, so that a reload and the back button find it again.

/** Returns the id in the address; '' if there is none. */
export function idInAddress(): string {
  const text = location.hash.slice(1);
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Puts a conversation's id into the address. Null stands for a new conversation. */
export function showInAddress(id: string | null): void {
  if (idInAddress() !== (id ?? '')) history.pushState(null, '', addressOf(id));
}

/** Corrects the address, if what it names is not there. */
export function correctAddress(id: string | null): void {
  if (idInAddress() !== (id ?? '')) history.replaceState(null, '', addressOf(id));
}

/** Takes the query out of the address: a reload should not take it in again. */
export function dropQuery(): void {
  history.replaceState(null, '', location.pathname + location.hash);
}

function addressOf(id: string | null): string {
  return id === null ? location.pathname + location.search : `#${encodeURIComponent(id)}`;
}
