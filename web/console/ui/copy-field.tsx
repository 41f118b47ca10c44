/** A value that has to be pasted elsewhere, with a button that copies it. */
import { useId, useRef, type ReactElement, type ReactNode } from 'react';
import { useTexts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import styles from './copy-field.module.css';
import { COMMON } from './texts.ts';
import { showNotice } from './toast.tsx';

interface CopyFieldProps {
  label: string;
  value: string;
  hint?: ReactNode;
}

export function CopyField({ label, value, hint }: CopyFieldProps): ReactElement {
  const texts = useTexts(COMMON);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const copy = async (): Promise<void> => {
    input.current?.select();
    // Failure policy: a browser lets a page write to the clipboard over https only. The value stays selected, so that a key copies it.
    await navigator.clipboard?.writeText(value).then(
      () => showNotice(texts.copied),
      () => undefined,
    );
  };
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      <input
        ref={input}
        id={id}
        className={styles['value']}
        readOnly
        value={value}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onFocus={({ target }) => target.select()}
      />
      <Button icon="copy" aria-label={`${texts.copy}: ${label}`} onClick={() => void copy()}>
        {texts.copy}
      </Button>
      {hint && (
        <p id={`${id}-hint`} className={styles['hint']}>
          {hint}
        </p>
      )}
    </div>
  );
}
