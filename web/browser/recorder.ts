/** Records voice notes with the microphone. */
import { createStore, type Store } from './store.ts';

/** Enough for speech; the networks' own apps record about as much. */
const BITS_PER_SECOND = 24_000;
/** The formats that the platform turns into a voice note, the best first. */
const FORMATS = ['audio/ogg;codecs=opus', 'audio/webm;codecs=opus', 'audio/mp4;codecs=opus'];
const LONGEST_MS = 10 * 60_000;

/** Records one voice note at a time. */
export interface Recorder {
  /** The seconds of the recording that runs; null while there is none. */
  seconds: Store<number | null>;
  /** Starts a recording once the person has allowed it, unless one runs already or waits to be allowed. */
  start(listener: RecorderListener): void;
  /** Ends the recording; `onRecorded` gets it. */
  finish(): void;
  /** Ends the recording and forgets it, also one that waits to be allowed. */
  cancel(): void;
}

interface RecorderListener {
  onRecorded(file: File): void;
  /** The browser gives no microphone. */
  onFailure(): void;
}

interface Recording {
  finish(): void;
  cancel(): void;
}

const findFormat = (): string | undefined =>
  globalThis.MediaRecorder && FORMATS.find((format) => MediaRecorder.isTypeSupported(format));

/** Browsers offer the microphone to pages over https and on localhost only. */
export function canRecord(): boolean {
  const { mediaDevices } = navigator as { mediaDevices?: MediaDevices };
  return mediaDevices !== undefined && findFormat() !== undefined;
}

export function createRecorder(): Recorder {
  const seconds = createStore<number | null>(null);
  // `recording` is null until the person has allowed it.
  let current: { recording: Recording | null } | null = null;

  function end(): Recording | null {
    const ended = current?.recording ?? null;
    current = null;
    seconds.set(null);
    return ended;
  }

  async function record({ onRecorded, onFailure }: RecorderListener): Promise<void> {
    const started: typeof current = { recording: null };
    current = started;
    try {
      const recording = await startRecording({
        onSeconds: (count) => current === started && seconds.set(count),
        onRecorded: (file) => {
          end();
          onRecorded(file);
        },
      });
      if (current === started) started.recording = recording;
      else recording.cancel();
    } catch {
      // Failure policy: the person hears of it, unless they have given up before.
      if (current !== started) return;
      end();
      onFailure();
    }
  }

  return {
    seconds,
    start: (listener) => {
      if (current === null) void record(listener);
    },
    finish: () => current?.recording?.finish(),
    cancel: () => end()?.cancel(),
  };
}

interface RecordingListener {
  onSeconds(seconds: number): void;
  onRecorded(file: File): void;
}

/** Fails when the browser gives no microphone. */
async function startRecording({ onSeconds, onRecorded }: RecordingListener): Promise<Recording> {
  const format = findFormat();
  if (format === undefined) throw new Error('This browser records no format that the platform takes');
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const recorder = new MediaRecorder(stream, { mimeType: format, audioBitsPerSecond: BITS_PER_SECOND });
  const parts: Blob[] = [];
  const startedAt = Date.now();
  let isWanted = true;
  const clock = setInterval(() => {
    onSeconds(Math.floor((Date.now() - startedAt) / 1_000));
    if (Date.now() - startedAt > LONGEST_MS) recorder.stop();
  }, 250);
  recorder.addEventListener('dataavailable', ({ data }) => parts.push(data));
  recorder.addEventListener('stop', () => {
    clearInterval(clock);
    for (const track of stream.getTracks()) track.stop();
    const [type = ''] = format.split(';');
    if (isWanted) onRecorded(new File(parts, `voice.${type.split('/')[1]}`, { type }));
  });
  onSeconds(0);
  recorder.start();
  return {
    finish: () => recorder.stop(),
    cancel: () => {
      isWanted = false;
      recorder.stop();
    },
  };
}
