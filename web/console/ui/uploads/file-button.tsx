import { useRef, type ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { IconButton } from '../button.tsx';
import { UPLOADS } from './texts.ts';

interface FileButtonProps {
  onFiles(files: readonly File[]): void;
  /** The browser asks for files now. */
  onOpen?(): void;
}

/** Chooses files for a message. */
export function FileButton({ onFiles, onOpen }: FileButtonProps): ReactElement {
  const texts = useTexts(UPLOADS);
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton
        icon="attach"
        label={texts.attach}
        onClick={() => {
          input.current?.click();
          onOpen?.();
        }}
      />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={texts.attach}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          // The same file can be chosen again.
          target.value = '';
        }}
      />
    </>
  );
}
