import { type Colours, printable } from '../../serve/output.ts';
import type { ChatRequestBody, ReportedTimings, ServerClient } from './client.ts';

/**
 * The figures of a reply. Durations are in ms, from the server's `timings` if it sends them, else by the clock of this
 * process.
 */
export interface ReplyMeasurements {
  promptTokens: number;
  completionTokens: number;
  /** Time from the request to the first token, reasoning included; null if there was none. */
  firstTokenMs: number | null;
  totalMs: number;
  timings: ReportedTimings | undefined;
}

export interface StreamedReply {
  text: string;
  /** The finish reason; undefined if the reply was stopped or is empty. */
  reason: string | undefined;
  stats: ReplyMeasurements;
}

export interface ReplyScreen {
  write: (text: string) => void;
  colours: Colours;
  /** True if the model's reasoning is shown. */
  showReasoning: boolean;
}

/** Streams a reply onto the screen. Throws the client's errors; the text written by then stays on the screen. */
export async function streamReplyToScreen(
  client: ServerClient,
  body: ChatRequestBody,
  screen: ReplyScreen,
  signal: AbortSignal,
): Promise<StreamedReply> {
  const startedAt = performance.now();
  let firstTokenMs: number | null = null;
  let text = '';
  let reasoned = false;
  let reason: string | undefined;
  const stats: ReplyMeasurements = {
    promptTokens: 0,
    completionTokens: 0,
    firstTokenMs: null,
    totalMs: 0,
    timings: undefined,
  };
  const sinceStart = () => performance.now() - startedAt;

  for await (const event of client.chat(body, signal)) {
    switch (event.kind) {
      case 'reasoning':
        firstTokenMs ??= sinceStart();
        if (!screen.showReasoning) break;
        screen.write(screen.colours.dim(printable(event.text)));
        reasoned = true;
        break;
      case 'text':
        firstTokenMs ??= sinceStart();
        if (reasoned && text === '') screen.write('\n\n');
        screen.write(printable(event.text));
        text += event.text;
        break;
      case 'finish':
        reason = event.reason;
        stats.timings = event.timings;
        break;
      case 'usage':
        stats.promptTokens = event.promptTokens;
        stats.completionTokens = event.completionTokens;
        break;
      default:
        event satisfies never;
    }
  }
  return { text, reason, stats: { ...stats, firstTokenMs, totalMs: sinceStart() } };
}

/** Returns the figures as one line for users. */
export function formatMeasurements({
  promptTokens,
  completionTokens,
  firstTokenMs,
  totalMs,
  timings,
}: ReplyMeasurements): string {
  const rate = timings?.predicted_per_second ?? (completionTokens * 1000) / Math.max(1, totalMs - (firstTokenMs ?? 0));
  return [
    `${promptTokens} prompt tokens`,
    `${completionTokens} of reply at ${rate.toFixed(1)} tokens/s`,
    ...(firstTokenMs === null ? [] : [`the first after ${firstTokenMs.toFixed(0)} ms`]),
    `${(totalMs / 1000).toFixed(1)} s in all`,
  ].join(', ');
}
