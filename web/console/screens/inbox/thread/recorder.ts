/** Records a voice note; `seconds` is null while nothing is recorded. */
import { useEffect, useState } from 'react';
import { createRecorder, type Recorder } from '../../../../browser/recorder.ts';
import { useStore } from '../../../store.ts';

export interface VoiceRecorder extends Omit<Recorder, 'seconds'> {
  seconds: number | null;
}

export function useRecorder(): VoiceRecorder {
  const [recorder] = useState(createRecorder);
  useEffect(() => recorder.cancel, [recorder]);
  return { ...recorder, seconds: useStore(recorder.seconds) };
}
