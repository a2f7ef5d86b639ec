import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openPullScreen } from '../../src/cli/pull-screen.ts';
import type { PullEvent } from '../../src/contract/models/puller.ts';

const downloading = (completed: number, file = 'a.gguf'): PullEvent => ({
  status: 'downloading',
  file,
  completed,
  total: 2_000_000,
  bytesPerSecond: 500_000,
  secondsLeft: completed === 0 ? null : 3,
});

function open(isTTY: boolean, now = () => 0) {
  const output = Object.assign(new PassThrough(), { isTTY });
  return { screen: openPullScreen(output, now), text: () => String(output.read() ?? '') };
}

describe('the progress of a pull', () => {
  it('is a line every few seconds without a terminal', () => {
    let seconds = 0;
    const { screen, text } = open(false, () => seconds * 1000);
    screen.show({ status: 'resolving' });
    for (seconds = 1; seconds < 12; seconds++) screen.show(downloading(seconds * 100_000));
    screen.show({ status: 'waiting', reason: 'the host asks for patience' });
    screen.show({ status: 'verifying', file: 'a.gguf' });
    screen.show({ status: 'done', model: 'a', alreadyHere: false });
    expect(text().split('\n')).toEqual([
      'Asking what there is to fetch',
      '5% 100 kB of 2.0 MB, 500 kB/s, 0:03 left  a.gguf',
      '30% 600 kB of 2.0 MB, 500 kB/s, 0:03 left  a.gguf',
      '55% 1.1 MB of 2.0 MB, 500 kB/s, 0:03 left  a.gguf',
      'Waiting: the host asks for patience',
      'Verifying a.gguf',
      'Fetched a',
      '',
    ]);
  });

  it('has a line for every file', () => {
    const { screen, text } = open(false);
    screen.show(downloading(0, 'a.gguf'));
    screen.show(downloading(1, 'b.gguf'));
    expect(text()).toBe('0% 0 B of 2.0 MB, 500 kB/s  a.gguf\n0% 1 B of 2.0 MB, 500 kB/s, 0:03 left  b.gguf\n');
  });

  it('is a bar on a terminal, and shows the cursor again after it', () => {
    const { screen, text } = open(true);
    screen.show(downloading(1_000_000));
    screen.close();
    const shown = text();
    expect(shown).toContain('50% 1.0 MB of 2.0 MB, 500 kB/s, 0:03 left  a.gguf');
    expect(shown).toContain('█');
    expect(shown.lastIndexOf('\u001b[?25h')).toBeGreaterThan(shown.lastIndexOf('\u001b[?25l'));
  });

  it('shows no control characters of a file name', () => {
    const { screen, text } = open(false);
    screen.show({ status: 'verifying', file: '\u001b[2Jx' });
    expect(text()).toBe('Verifying [2Jx\n');
  });
});
