/**
 * Returns a key handler that calls `act` when Escape is pressed. It stops the event: elsewhere, Escape stops a reply or
 * closes the list of chats on a phone.
 */
export function onEscape(act: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    event.preventDefault();
    act();
  };
}
