import type { Locator } from 'playwright-core';

/** A file as a person gives it to the page. */
export interface GivenFile {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

/** Fires the browser's events for dragging these files over the page, or pasting them or a text. */
export async function give(target: Locator, events: string[], files: GivenFile[], text = ''): Promise<void> {
  const given = files.map(({ name, mimeType, buffer }) => ({ name, mimeType, data: buffer.toString('base64') }));
  await target.evaluate(giveInPage, { events, given, text });
}

/** Runs in the page. */
function giveInPage(
  target: HTMLElement | SVGElement,
  {
    events,
    given,
    text,
  }: { events: string[]; given: { name: string; mimeType: string; data: string }[]; text: string },
): void {
  const transfer = new DataTransfer();
  if (text !== '') transfer.setData('text/plain', text);
  for (const { name, mimeType, data } of given) {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    transfer.items.add(new File([bytes], name, { type: mimeType }));
  }
  for (const event of events) {
    const init = { bubbles: true, cancelable: true };
    const made =
      event === 'paste'
        ? new ClipboardEvent(event, { ...init, clipboardData: transfer })
        : new DragEvent(event, { ...init, dataTransfer: transfer });
    target.dispatchEvent(made);
  }
}
