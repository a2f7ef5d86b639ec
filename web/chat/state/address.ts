// The address contains the id of the open conversation, so that it opens again after a reload and with the back button.

/** Returns the id in the address; '' if there is none. */
export function idInAddress(): string {
  const text = location.hash.slice(1);
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Adds an entry to the history with this conversation's id; null for a new conversation. */
export function showInAddress(id: string | null): void {
  if (idInAddress() !== (id ?? '')) history.pushState(null, '', addressOf(id));
}

/** Replaces the id in the address, if it names a conversation that does not exist. */
export function correctAddress(id: string | null): void {
  if (idInAddress() !== (id ?? '')) history.replaceState(null, '', addressOf(id));
}

/** Removes the query from the address, so that a reload does not read it again. */
export function dropQuery(): void {
  history.replaceState(null, '', location.pathname + location.hash);
}

function addressOf(id: string | null): string {
  return id === null ? location.pathname + location.search : `#${encodeURIComponent(id)}`;
}
