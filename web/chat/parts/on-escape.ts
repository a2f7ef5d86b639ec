/**
 * Makes a handler that does this when Escape is pressed. Nobody else gets the key: it would stop a reply, or close the list on a
 * phone.
 */
export function onEscape(act: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    event.preventDefault();
    act();
  };
}
