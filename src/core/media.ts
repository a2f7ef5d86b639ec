/** Of an image as engines take it. No known projector sees more. */
export const MOST_PIXELS = 1_500_000;

/** An image or a recording as engines take it. Plain data: it crosses threads and processes. */
export type Media =
  /** A PNG, upright, of `MOST_PIXELS` at most. */
  | { kind: 'image'; bytes: Uint8Array }
  /** The file as it came, its header checked. */
  | { kind: 'audio'; format: 'wav' | 'mp3'; bytes: Uint8Array };

/** A part of a message as the API has it. */
export type MediaPart =
  /** An http(s) URL or a data URI. `low` asks for no more than 512 pixels a side. */
  | { kind: 'image'; url: string; detail?: 'low' }
  /** `data` is base64. */
  | { kind: 'audio'; data: string; format: 'wav' | 'mp3' };

/** Gets the bytes that a part of a message stands for. */
export interface MediaReader {
  /**
   * @param param the part's place in the request, as in `messages[0].content[1]`: errors name it
   * @throws ApiError a 400 that says what is wrong with the media: unreachable, too large, no known format (and what its first
   *   bytes are), or an address that may not be asked
   */
  read(part: MediaPart, param: string, signal: AbortSignal): Promise<Media>;
}

/** Where in a message's text its media stand, one after the other. What clients write is freed of it. */
export const MEDIA_MARK = '\u{E000}media\u{E000}';
