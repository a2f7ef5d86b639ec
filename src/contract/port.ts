/** The part of a MessagePort that the wire uses. The ports of Node and of browsers both have it. */
export interface Port {
  postMessage(message: unknown): void;
  onmessage: ((event: { data: unknown }) => void) | null;
  close(): void;
}
