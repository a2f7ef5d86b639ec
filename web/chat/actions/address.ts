// The address names the conversation that is open, so that a reload and the back button find it again.

/** The id that the address names, '' for none. */
export function idInAddress(): string {
  return location.hash.slice(1);
}

/** Names this conversation, or a new one with null. */
export function showInAddress(id: string | null): void {
  if (idInAddress() === (id ?? '')) return;
  history.pushState(null, '', id === null ? location.pathname + location.search : `#${id}`);
}
