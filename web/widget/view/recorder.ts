/** Records a voice note; `seconds` is null while nothing is recorded. */
import { useEffect, useState } from 'preact/hooks';
import { createRecorder, type Recorder } from '../../browser/recorder.ts';
import { useStore } from '../store.ts';

export function useRecorder(): Omit<Recorder, 'seconds'> & { seconds: number | null } {
  const [recorder] = useState(createRecorder);
  useEffect(() => recorder.cancel, [recorder]);
  return { ...recorder, seconds: useStore(recorder.seconds) };
}
