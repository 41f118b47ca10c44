/** The buttons below the field in which a message is written. */
import type { ReactElement, ReactNode, RefObject } from 'react';
import { writeDuration } from '../../../../browser/formats.ts';
import { canRecord } from '../../../../browser/recorder.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { COMMON } from '../../../ui/texts.ts';
import { showError } from '../../../ui/toast.tsx';
import { FileButton } from '../../../ui/uploads/file-button.tsx';
import { returnToComposer } from '../../../frame/writing.ts';
import styles from './composer.module.css';
import { EmojiChoice } from './emoji.tsx';
import { useRecorder, type VoiceRecorder } from './recorder.ts';
import { SendButton } from './send-button.tsx';
import { THREAD } from './texts.ts';

interface ComposerBarProps {
  isNote: boolean;
  canSend: boolean;
  /** Whether the network only accepts templates now. */
  isLate: boolean;
  /** The message is sent by itself as soon as its files are uploaded. */
  isBusy: boolean;
  onSend(): void;
  /** Null while a file is being uploaded. */
  onLater: ((at: string) => void) | null;
  onFiles(files: readonly File[]): void;
  onEmoji(emoji: string): void;
  /** The field that has the focus after an emoji was chosen. */
  area: RefObject<HTMLElement | null>;
  /** What writes with AI; not in a note, nor where only a template can be sent. */
  assist: ReactNode;
  /** Null on channels without templates. */
  onTemplate: (() => void) | null;
}

export function ComposerBar(props: ComposerBarProps): ReactElement {
  const { isNote, canSend, isLate, isBusy, onSend, onLater, onFiles, onEmoji, area, assist, onTemplate } = props;
  const texts = useTexts(THREAD);
  const recorder = useRecorder();
  if (recorder.seconds !== null) return <RecordingBar recorder={recorder} seconds={recorder.seconds} />;
  const record = (): void => {
    recorder.start({
      onRecorded: (file) => onFiles([file]),
      onFailure: () => showError(texts.noMicrophone),
    });
    returnToComposer();
  };
  return (
    <div className={styles['bar']}>
      {!isNote && <FileButton onFiles={onFiles} onOpen={returnToComposer} />}
      <EmojiChoice area={area} onChoose={onEmoji} />
      {!isNote && !isLate && onTemplate && <IconButton icon="template" label={texts.template} onClick={onTemplate} />}
      {!isNote && canRecord() && <IconButton icon="microphone" label={texts.record} onClick={record} />}
      {!isNote && !isLate && assist}
      <span className={styles['space']} />
      {isNote ? (
        <Button kind="note" icon="note" disabled={!canSend} isBusy={isBusy} onClick={onSend}>
          {texts.addNote}
        </Button>
      ) : isLate && onTemplate ? (
        <Button kind="primary" icon="template" onClick={onTemplate}>
          {texts.template}
        </Button>
      ) : (
        <SendButton {...{ canSend, isBusy, onSend, onLater }} />
      )}
    </div>
  );
}

function RecordingBar({ recorder, seconds }: { recorder: VoiceRecorder; seconds: number }): ReactElement {
  const texts = useTexts(THREAD);
  const common = useTexts(COMMON);
  const end = (act: () => void) => (): void => {
    act();
    returnToComposer();
  };
  return (
    <div className={styles['bar']}>
      <span className={styles['recording']} role="timer" data-unfinished>
        {texts.recording} {writeDuration(seconds)}
      </span>
      <span className={styles['space']} />
      <Button onClick={end(recorder.cancel)}>{common.cancel}</Button>
      <Button kind="primary" icon="stop" onClick={end(recorder.finish)}>
        {texts.finish}
      </Button>
    </div>
  );
}
