import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../messages/language.ts';
import '../messages/later.ts';
import { MicrophoneIcon } from '../parts/icons.tsx';
import { formatLength } from '../reply/figures.ts';
import { LONGEST_SECONDS, type Recorder, startRecording } from './microphone.ts';

interface RecordButtonProps {
  /** True if the recording becomes a text of the message, false if it is attached. */
  dictates: boolean;
  onRecorded: (file: File) => void;
  onProblem: (problem: string) => void;
}

/** A running recording and the callbacks from when it began, because another conversation may be open when it ends. */
interface Running extends Omit<RecordButtonProps, 'dictates'> {
  recorder: Recorder;
  /** In ms, by the page's clock. */
  startedAt: number;
}

/** Records from the microphone. The first click begins a recording, the second click ends it and hands over the file. */
export function RecordButton({ dictates, onRecorded, onProblem }: RecordButtonProps): JSX.Element {
  const [running, setRunning] = useState<Running | null>(null);
  const [asking, setAsking] = useState(false);
  const seconds = useSeconds(running);

  const begin = async () => {
    setAsking(true);
    try {
      const recorder = await startRecording();
      setRunning({ recorder, startedAt: performance.now(), onRecorded, onProblem });
    } catch (error) {
      onProblem((error as Error).message);
    }
    setAsking(false);
  };
  const end = () => {
    setRunning(null);
    if (running) void finish(running);
  };
  const newest = useRef(running);
  newest.current = running;
  // A recording that runs when the component is removed is finished and handed over.
  useEffect(() => () => void (newest.current && finish(newest.current)), []);
  useEffect(() => {
    if (seconds >= LONGEST_SECONDS) end();
  }, [seconds]);

  const label = t(running ? 'recording.stop' : dictates ? 'recording.dictate' : 'recording.record');
  return (
    <button
      type="button"
      class={running ? 'icon-button recording-now' : 'icon-button'}
      aria-label={label}
      title={label}
      disabled={asking}
      onClick={running ? end : () => void begin()}
    >
      {running ? <span class="pulse">{formatLength(seconds)}</span> : <MicrophoneIcon />}
    </button>
  );
}

async function finish({ recorder, onRecorded, onProblem }: Running): Promise<void> {
  try {
    onRecorded(await recorder.stop());
  } catch (error) {
    onProblem((error as Error).message);
  }
}

/** Returns the seconds since a recording began. */
function useSeconds(running: Running | null): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    setSeconds(0);
    if (!running) return;
    const timer = setInterval(() => setSeconds(Math.floor((performance.now() - running.startedAt) / 1000)), 250);
    return () => clearInterval(timer);
  }, [running]);
  return seconds;
}
