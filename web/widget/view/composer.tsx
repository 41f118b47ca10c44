/** @jsxImportSource preact */
/** The place to write. Enter sends, and with Shift begins a new line. */
import type { TargetedClipboardEvent, TargetedKeyboardEvent, VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { writeDuration } from '../../browser/formats.ts';
import { canRecord } from '../../browser/recorder.ts';
import { draft } from '../chat/draft.ts';
import { cutText, MOST_CHARACTERS } from '../chat/limits.ts';
import { focusRequests } from '../chat/panel.ts';
import { noteTyping } from '../chat/typing.ts';
import { writeText } from '../chat/writing.ts';
import { useStore } from '../store.ts';
import { useLanguage, useTexts } from '../texts/language.ts';
import { TEXTS } from '../texts/texts.ts';
import { IconButton } from './icon.tsx';
import { useRecorder } from './recorder.ts';

interface ComposerProps {
  /** What the visitor has to know of what they have just added. */
  notice: string | null;
  onNotice(notice: string | null): void;
  onFiles(files: readonly File[]): void;
}

export function Composer({ notice, onNotice, onFiles }: ComposerProps): VNode {
  const texts = useTexts(TEXTS);
  const text = useStore(draft);
  const chooser = useRef<HTMLInputElement>(null);
  const recorder = useRecorder();
  const record = (): void =>
    recorder.start({ onRecorded: (file) => onFiles([file]), onFailure: () => onNotice(texts.noMicrophone) });
  const send = (): void => {
    const content = draft.get().trim();
    if (content === '') return;
    draft.set('');
    onNotice(null);
    writeText(content);
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {notice !== null && (
        <p class="notice" role="alert">
          {notice}
        </p>
      )}
      {recorder.seconds !== null ? (
        <div class="line">
          <IconButton icon="close" label={texts.cancel} onClick={recorder.cancel} />
          <p class="recording" role="timer">
            {texts.recording(writeDuration(recorder.seconds))}
          </p>
          <IconButton icon="send" label={texts.finish} isStrong onClick={recorder.finish} />
        </div>
      ) : (
        <div class="line">
          <input
            ref={chooser}
            type="file"
            multiple
            hidden
            onChange={({ currentTarget }) => {
              onFiles([...(currentTarget.files ?? [])]);
              // The same file can be chosen once more.
              currentTarget.value = '';
            }}
          />
          <IconButton icon="attach" label={texts.attach} onClick={() => chooser.current?.click()} />
          <TextField onSend={send} onNotice={onNotice} onFiles={onFiles} />
          {text.trim() === '' && canRecord() ? (
            <IconButton icon="microphone" label={texts.record} onClick={record} />
          ) : (
            <IconButton icon="send" label={texts.send} isStrong disabled={text.trim() === ''} onClick={send} />
          )}
        </div>
      )}
    </form>
  );
}

interface TextFieldProps {
  onSend(): void;
  onNotice(notice: string | null): void;
  onFiles(files: readonly File[]): void;
}

function TextField({ onSend, onNotice, onFiles }: TextFieldProps): VNode {
  const texts = useTexts(TEXTS);
  const language = useLanguage();
  const text = useStore(draft);
  const requests = useStore(focusRequests);
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    // On a phone, the keyboard would cover the messages.
    if (requests > 0 && matchMedia('(pointer: fine)').matches) area.current?.focus();
  }, [requests]);
  useLayoutEffect(() => {
    const { current } = area;
    if (!current) return;
    current.style.height = 'auto';
    current.style.height = `${current.scrollHeight}px`;
  }, [text]);
  const write = (typed: string): void => {
    const cut = cutText(typed);
    onNotice(cut === typed ? null : texts.tooLong(MOST_CHARACTERS.toLocaleString(language)));
    draft.set(cut);
    // A text that was cut back to what it was before changes nothing that Preact would show.
    if (area.current && area.current.value !== cut) area.current.value = cut;
    noteTyping(cut === '');
  };
  const press = (event: TargetedKeyboardEvent<HTMLTextAreaElement>): void => {
    // While letters are composed, as in Japanese, Enter belongs to the keyboard.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    onSend();
  };
  const paste = (event: TargetedClipboardEvent<HTMLTextAreaElement>): void => {
    const files = [...(event.clipboardData?.files ?? [])];
    const pasted = event.clipboardData?.getData('text/plain') ?? '';
    if (files.length > 0) onFiles(files);
    else if (pasted.length <= MOST_CHARACTERS) return;
    else {
      // The browser would take minutes to lay out a huge text.
      const { selectionStart, selectionEnd, value } = event.currentTarget;
      write(value.slice(0, selectionStart) + pasted.slice(0, 3 * MOST_CHARACTERS) + value.slice(selectionEnd));
    }
    event.preventDefault();
  };
  return (
    <textarea
      ref={area}
      class="input"
      rows={1}
      dir="auto"
      aria-label={texts.write}
      placeholder={texts.write}
      value={text}
      onInput={({ currentTarget }) => write(currentTarget.value)}
      onKeyDown={press}
      onPaste={paste}
    />
  );
}
