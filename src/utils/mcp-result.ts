import { formatBytes } from './bytes.ts';

/** The result of a call of an MCP server's tool, as text for the model. */
export interface ToolResult {
  text: string;
  /** True if the tool failed or could not be reached. The text says why. */
  failed: boolean;
}

/** UTF-8 has at most so many bytes for one UTF-16 code unit. */
const MOST_BYTES_OF_A_UNIT = 3;

/** The fields of an MCP tool result that `toToolResult` reads. */
export interface McpResult {
  content?: McpContent[];
  structuredContent?: unknown;
  isError?: boolean | undefined;
}

interface McpContent {
  type: string;
  text?: string;
  data?: string;
  mimeType?: string | undefined;
  uri?: string;
  name?: string;
  resource?: { uri?: string; text?: string; blob?: string; mimeType?: string | undefined };
}

/**
 * The longest result that is given to a model, in bytes of UTF-8. A longer one would fill most context windows and slow
 * down the page.
 */
export const LONGEST_RESULT = 50_000;

/** Returns a result as one text. Images, recordings and files are replaced by a line with their type and size. */
export function toToolResult({ content = [], structuredContent, isError = false }: McpResult): ToolResult {
  const parts = content.map(toText);
  const text =
    parts.length > 0 || structuredContent === undefined ? parts.join('\n\n') : JSON.stringify(structuredContent);
  return { text: bounded(text || '(The result is empty.)'), failed: isError };
}

function toText({ type, text, data, mimeType, uri, name, resource }: McpContent): string {
  switch (type) {
    case 'text':
      return text ?? '';
    case 'image':
    case 'audio':
      return `(Here is ${type === 'image' ? 'a picture' : 'a recording'} that can’t be passed on: ${mimeType}, ${sizeOf(data)}.)`;
    case 'resource_link':
      return `(A link: ${[name, uri].filter(Boolean).join(', ')})`;
    case 'resource':
      return resource?.text ?? `(Here is a file that can’t be passed on: ${resource?.uri}, ${sizeOf(resource?.blob)}.)`;
    default:
      return `(Here is something of the kind ${type}, which can’t be passed on.)`;
  }
}

function sizeOf(base64 = ''): string {
  return formatBytes(Math.floor((base64.length * 3) / 4));
}

function bounded(text: string): string {
  if (text.length * MOST_BYTES_OF_A_UNIT <= LONGEST_RESULT) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(LONGEST_RESULT));
  if (read === text.length) return text;
  return `${text.slice(0, read)}\n(Cut: the result has ${text.length} characters.)`;
}
