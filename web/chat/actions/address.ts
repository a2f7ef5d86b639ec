// The address contains the id of the open conversation, so that a reload and the back button find it again.

/** Returns the id in the address; '' if there is none. */
export function idInAddress(): string {
  return location.hash.slice(1);
}

/** Puts a conversation's id into the address. Null stands for a new conversation. */
export function showInAddress(id: string | null): void {
  if (idInAddress() === (id ?? '')) return;
  history.pushState(null, '', id === null ? location.pathname + location.search : `#${id}`);
}
