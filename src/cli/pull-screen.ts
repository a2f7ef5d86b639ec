import type { Writable } from 'node:stream';
import { SingleBar } from 'cli-progress';
import type { PullEvent } from '../contract/models/puller.ts';
import { formatDuration, printable } from '../serve/output.ts';
import { formatBytes } from '../utils/bytes.ts';

/** The display of a pull's events. */
export interface PullScreen {
  show(event: PullEvent): void;
  /** Ends the display, so that other output can follow. */
  close(): void;
}

/** The interval between two lines if there is no terminal. */
const LINE_INTERVAL_MS = 5000;

/** Shows a progress bar on a terminal, and a line now and then elsewhere. */
export function openPullScreen(
  output: Writable & { isTTY?: boolean },
  now: () => number = () => performance.now(),
): PullScreen {
  return output.isTTY ? openBar(output) : openLines(output, now);
}

type Downloading = Extract<PullEvent, { status: 'downloading' }>;

function openBar(output: Writable): PullScreen {
  let bar: SingleBar | undefined;
  const endBar = () => {
    bar?.stop();
    bar = undefined;
  };
  return {
    show(event) {
      if (event.status !== 'downloading') {
        endBar();
        output.write(`${inWords(event)}\n`);
        return;
      }
      const { completed, total } = event;
      bar ??= startBar(output, total);
      bar.setTotal(total);
      bar.update(completed, { words: progressInWords(event), file: printable(event.file) });
    },
    close: endBar,
  };
}

function startBar(stream: Writable, total: number): SingleBar {
  const bar = new SingleBar({
    stream: stream as NodeJS.WriteStream,
    format: '{bar} {percentage}% {words}  {file}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    hideCursor: true,
    autopadding: true,
    // The handler of cli-progress for Ctrl-C would run while the pull is still being aborted.
    gracefulExit: false,
  });
  bar.start(total, 0, { words: '', file: '' });
  return bar;
}

function openLines(output: Writable, now: () => number): PullScreen {
  let last: PullEvent | undefined;
  let writtenAt = Number.NEGATIVE_INFINITY;
  return {
    show(event) {
      const repeated = event.status === 'downloading' && last?.status === 'downloading' && last.file === event.file;
      last = event;
      if (repeated && now() - writtenAt < LINE_INTERVAL_MS) return;
      writtenAt = now();
      output.write(`${inWords(event)}\n`);
    },
    close: () => {},
  };
}

function inWords(event: PullEvent): string {
  switch (event.status) {
    case 'resolving':
      return 'Asking what there is to fetch';
    case 'downloading':
      return `${percent(event)}% ${progressInWords(event)}  ${printable(event.file)}`;
    case 'waiting':
      return `Waiting: ${printable(event.reason)}`;
    case 'verifying':
      return `Verifying ${printable(event.file)}`;
    case 'done':
      return event.alreadyHere ? `${event.model} is here already` : `Fetched ${event.model}`;
    default:
      return event satisfies never;
  }
}

function progressInWords({ completed, total, bytesPerSecond, secondsLeft }: Downloading): string {
  const left = secondsLeft === null ? '' : `, ${formatDuration(secondsLeft)} left`;
  return `${formatBytes(completed)} of ${formatBytes(total)}, ${formatBytes(bytesPerSecond)}/s${left}`;
}

function percent({ completed, total }: Downloading): number {
  return total === 0 ? 100 : Math.floor((completed / total) * 100);
}
