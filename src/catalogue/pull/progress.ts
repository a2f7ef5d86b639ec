import type { PullEvent } from '../../contract/models/puller.ts';
import type { RemoteFile } from './remote.ts';

/** The download rate is the mean over this time, in ms. */
const WINDOW_MS = 10_000;
/** The shortest time between two events of one file, in ms. */
const INTERVAL_MS = 250;

/**
 * Turns the bytes that each file has on disk into events. The first and last bytes of a file give an event at once; in
 * between there are about four a second. `total` counts the sizes as they are now. Bytes that were on disk before the
 * pull count as completed, but not for the rate.
 */
export function trackProgress(
  files: Pick<RemoteFile, 'name' | 'size'>[],
  emit: (event: PullEvent) => void,
): (index: number, bytes: number) => void {
  const onDisk = new Map<number, number>();
  let samples = [{ time: performance.now(), received: 0 }];
  let received = 0;
  let completed = 0;
  let toldAt = 0;

  return (index, bytes) => {
    const file = files[index];
    if (!file) return;
    const time = performance.now();
    const before = onDisk.get(index);
    onDisk.set(index, bytes);
    // If there are fewer bytes than before, the file is being fetched anew.
    if (before !== undefined) received += Math.max(bytes - before, 0);
    if (before !== undefined && bytes !== file.size && time - toldAt < INTERVAL_MS) return;
    toldAt = time;
    samples = [...samples.filter((sample) => time - sample.time <= WINDOW_MS), { time, received }];
    const total = files.reduce((sum, { size }) => sum + size, 0);
    const now = [...onDisk.values()].reduce((sum, value) => sum + value, 0);
    completed = Math.max(completed, now);
    const bytesPerSecond = rate(samples);
    emit({
      status: 'downloading',
      file: file.name,
      completed,
      total,
      bytesPerSecond: Math.round(bytesPerSecond),
      secondsLeft: bytesPerSecond > 0 ? Math.ceil((total - now) / bytesPerSecond) : null,
    });
  };
}

function rate(samples: { time: number; received: number }[]): number {
  const [first] = samples;
  const last = samples.at(-1);
  if (!first || !last || last.time === first.time) return 0;
  return ((last.received - first.received) * 1000) / (last.time - first.time);
}
