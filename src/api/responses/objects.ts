import type { SchemaViolation } from '../generation/violations.ts';
import type { Timings } from '../stream/usage.ts';
import type { ResponseRequest } from './schema.ts';

// These are OpenAI's objects of a response, with the fields that have a meaning here:
// https://platform.openai.com/docs/api-reference/responses. Output items are types and not interfaces, since they come back as items
// of a request, which may have any fields.

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export type OutputLogprob = {
  token: string;
  logprob: number;
  bytes: number[];
  top_logprobs: { token: string; logprob: number; bytes: number[] }[];
};

export type OutputText = {
  type: 'output_text';
  text: string;
  annotations: [];
  logprobs: OutputLogprob[];
};

export type MessageItem = {
  type: 'message';
  id: string;
  status: ItemStatus;
  role: 'assistant';
  content: OutputText[];
};

export type CallItem = {
  type: 'function_call';
  id: string;
  status: ItemStatus;
  /** The id by which the result refers to the call. */
  call_id: string;
  name: string;
  /** JSON text. */
  arguments: string;
};

export type SummaryText = {
  type: 'summary_text';
  text: string;
};

export type ReasoningText = {
  type: 'reasoning_text';
  text: string;
};

/**
 * The model's reasoning. `summary` and `content` have the same text, because some clients show one of them, and some
 * the other.
 */
export type ReasoningItem = {
  type: 'reasoning';
  id: string;
  status: ItemStatus;
  summary: SummaryText[];
  content: ReasoningText[];
};

/** The tools of an MCP server that the model was offered. */
export type McpListItem = {
  type: 'mcp_list_tools';
  id: string;
  server_label: string;
  tools: { name: string; description: string; input_schema: object; annotations: { read_only: boolean } }[];
  /** The reason why the server could not list its tools; null if it has. */
  error: string | null;
};

/** A call of a tool that this server runs. */
export type McpCallItem = {
  type: 'mcp_call';
  id: string;
  status: ItemStatus | 'failed';
  server_label: string;
  name: string;
  /** JSON text. */
  arguments: string;
  approval_request_id: string | null;
  /** The result; null before the end, and if the call has failed. */
  output: string | null;
  error: string | null;
};

/** A call that the client has to approve before it is run. */
export type McpApprovalItem = {
  type: 'mcp_approval_request';
  id: string;
  server_label: string;
  name: string;
  /** JSON text. */
  arguments: string;
};

export type McpItem = McpListItem | McpCallItem | McpApprovalItem;

/** An item that the model writes. */
export type WrittenItem = MessageItem | CallItem | ReasoningItem;

export type OutputItem = WrittenItem | McpItem;

export interface ResponseUsage {
  input_tokens: number;
  input_tokens_details: { cached_tokens: number; cache_write_tokens: number };
  output_tokens: number;
  output_tokens_details: { reasoning_tokens: number };
  total_tokens: number;
}

/** The fields of a response that come from its request. They are the same in all its events. */
export interface ResponseHead {
  id: string;
  object: 'response';
  /** Unix time in seconds. */
  created_at: number;
  model: string;
  background: false;
  /** The conversation that the response belongs to; absent if it belongs to none. */
  conversation?: { id: string };
  instructions: string | null;
  max_output_tokens: number | null;
  /** Present if the request has it. */
  max_tool_calls?: number;
  metadata: Record<string, string>;
  parallel_tool_calls: boolean;
  previous_response_id: string | null;
  reasoning: { effort: NonNullable<NonNullable<ResponseRequest['reasoning']>['effort']> | null; summary: null };
  store: boolean;
  temperature: number;
  text: { format: NonNullable<NonNullable<ResponseRequest['text']>['format']> };
  tool_choice: NonNullable<ResponseRequest['tool_choice']>;
  tools: object[];
  top_logprobs: number;
  top_p: number;
  truncation: 'disabled';
}

/** A response, complete or in progress. */
export interface ResponseObject extends ResponseHead {
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
  completed_at: number | null;
  error: { code: string; message: string } | null;
  incomplete_details: { reason: 'max_output_tokens' | 'content_filter' } | null;
  output: OutputItem[];
  /** Present at the end. */
  usage?: ResponseUsage;
  timings?: Timings;
  /** The schema violations of the reply; absent if there are none. */
  schema_violations?: SchemaViolation[];
}

/** A conversation, as it is stored. Its items are apart. */
export interface ConversationObject {
  id: string;
  object: 'conversation';
  /** Unix time in seconds. */
  created_at: number;
  metadata: Record<string, string>;
  /** Empty: the store looks here for items that requests refer to, and each item of a conversation is in its response. */
  output: [];
}

/** The place of a piece within the response. */
interface Place {
  item_id: string;
  output_index: number;
}
interface ContentPlace extends Place {
  content_index: number;
}
interface SummaryPlace extends Place {
  summary_index: number;
}

/** The events that are called `response.` and one of these names, and that have these fields. */
type Events<Name extends string, Fields> = Name extends string ? { type: `response.${Name}` } & Fields : never;

/** An event of a streamed response, without its number. */
export type ResponseEvent =
  | Events<'created' | 'in_progress' | 'completed' | 'incomplete' | 'failed', { response: ResponseObject }>
  | Events<'output_item.added' | 'output_item.done', { output_index: number; item: OutputItem }>
  | Events<'content_part.added' | 'content_part.done', ContentPlace & { part: OutputText | ReasoningText }>
  | Events<'output_text.delta', ContentPlace & { delta: string; logprobs: OutputLogprob[] }>
  | Events<'output_text.done', ContentPlace & { text: string; logprobs: OutputLogprob[] }>
  | Events<'function_call_arguments.delta', Place & { delta: string }>
  | Events<'function_call_arguments.done', Place & { name: string; arguments: string }>
  | Events<'mcp_list_tools.in_progress' | 'mcp_list_tools.completed' | 'mcp_list_tools.failed', Place>
  | Events<'mcp_call.in_progress' | 'mcp_call.completed' | 'mcp_call.failed', Place>
  | Events<'mcp_call_arguments.delta', Place & { delta: string }>
  | Events<'mcp_call_arguments.done', Place & { arguments: string }>
  | Events<'reasoning_text.delta', ContentPlace & { delta: string }>
  | Events<'reasoning_text.done', ContentPlace & { text: string }>
  | Events<'reasoning_summary_part.added' | 'reasoning_summary_part.done', SummaryPlace & { part: SummaryText }>
  | Events<'reasoning_summary_text.delta', SummaryPlace & { delta: string }>
  | Events<'reasoning_summary_text.done', SummaryPlace & { text: string }>;

/** An event with its number in its stream, from 0. */
export type NumberedEvent = ResponseEvent & { sequence_number: number };
