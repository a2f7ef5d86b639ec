/** The largest image that engines take, in pixels. No known projector uses more. */
export const MOST_PIXELS = 1_500_000;

/** An image or a recording, as engines take it. Plain data, so that it can cross threads and processes. */
export type Media =
  /** A PNG of at most `MOST_PIXELS` pixels, already turned upright. */
  | { kind: 'image'; bytes: Uint8Array }
  /** The client's own file; only its header is checked. */
  | { kind: 'audio'; format: 'wav' | 'mp3'; bytes: Uint8Array };

/** An image or a recording of a message, as the API takes it. */
export type MediaPart =
  /** An http(s) URL or a data URI. `low` limits the image to 512 pixels a side. */
  | { kind: 'image'; url: string; detail?: 'low' }
  /** `data` is base64, or the file itself. */
  | { kind: 'audio'; data: string | Uint8Array; format: 'wav' | 'mp3' };

/** A recording that can be given to a model in parts. */
export interface LongRecording {
  seconds: number;
  /** Returns the part between two times in seconds, as a file of its own. */
  cut(from: number, to: number): Extract<MediaPart, { kind: 'audio' }>;
}

/** Reads images and recordings. */
export interface MediaReader {
  /**
   * @param param the part's path in the request, such as `messages[0].content[1]`; errors name it
   * @throws ApiError a 400 that tells what is wrong with the media: unreachable, too large, in an unknown format (with
   *   its first bytes), or at an address that the server must not fetch from
   */
  read(part: MediaPart, param: string, signal: AbortSignal): Promise<Media>;
  /**
   * Reads the file of a recording, whose type its first bytes tell: WAV or MP3, and on a server FLAC or Opus in Ogg. `param` is the
   * field that has the file. Throws as `read` does.
   */
  openRecording(file: Uint8Array, param: string, signal: AbortSignal): Promise<LongRecording>;
}

/** Marks the place of each image or recording in a message's text. The mark is removed from what clients write. */
export const MEDIA_MARK = '\u{E000}media\u{E000}';
