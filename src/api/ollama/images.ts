import type { ContentPart } from '../generation/conversation.ts';

/** The beginning of a WAV file in base64: `RIFF`, its size, and `WAVE` at byte 8. */
const WAV = /^UklGR.{6}XQVZF/;
/** The beginning of an MP3 file in base64: an ID3 tag, or a frame of MPEG layer III. */
const MP3 = /^(SUQz|\/[/+][I-Po-v])/;

/**
 * Returns the images and recordings of a message. Ollama has one list of base64 texts for both; `param` is its path in
 * the request.
 */
export function toMediaParts(images: string[] | null | undefined, param: string): ContentPart[] {
  return (images ?? []).map((data, index) => toMediaPart(data, `${param}[${index}]`));
}

function toMediaPart(given: string, param: string): ContentPart {
  const data = given.replace(/^data:[^,]*,/, '');
  const format = WAV.test(data) ? 'wav' : MP3.test(data) ? 'mp3' : null;
  if (format) return { kind: 'media', media: { kind: 'audio', data, format }, param };
  // The bytes show which kind of image it is.
  return { kind: 'media', media: { kind: 'image', url: `data:image/png;base64,${data}` }, param };
}
