import { formatBytes } from '../../../src/utils/bytes.ts';

/** What a call of a tool came to, as text for the model. */
export interface ToolResult {
  text: string;
  /** True if the tool failed, or could not be asked: the text says why. */
  failed: boolean;
}

/** The parts of a result by the Model Context Protocol that are read here. */
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

/** The longest result that a model is given, in characters. It would fill most windows, and the page has to draw it. */
export const LONGEST_RESULT = 50_000;

/** Writes a result as one text. What is no text is named in its place. */
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
  if (text.length <= LONGEST_RESULT) return text;
  return `${text.slice(0, LONGEST_RESULT).toWellFormed()}\n(Cut: the result has ${text.length} characters.)`;
}
