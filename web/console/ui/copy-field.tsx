/** A value that has to be pasted elsewhere, with a button that copies it. */
import { useId, useRef, type ReactElement, type ReactNode } from 'react';
import { useTexts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import styles from './copy-field.module.css';
import { copyText } from './copy-text.ts';
import { COMMON } from './texts.ts';

interface CopyFieldProps {
  label: string;
  value: string;
  hint?: ReactNode;
}

export function CopyField({ label, value, hint }: CopyFieldProps): ReactElement {
  const texts = useTexts(COMMON);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const copy = (): void => {
    // Failure policy: if the browser refuses, the value stays selected, so that a key copies it.
    input.current?.select();
    void copyText(value);
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
      <Button icon="copy" aria-label={`${texts.copy}: ${label}`} onClick={copy}>
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
