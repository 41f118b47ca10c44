/** Chooses one file by a button, and shows its name. */
import { useId, useRef, type ReactElement } from 'react';
import { Button } from './button.tsx';
import styles from './field.module.css';

interface FileFieldProps {
  label: string;
  /** What the button says. */
  choose: string;
  /** The name of the file that was chosen. */
  name: string | null;
  /** The kinds of files, as the browser's own dialog takes them. */
  accept?: string;
  isBusy?: boolean;
  onChoose(file: File): void;
}

export function FileField({ label, choose, name, accept, isBusy = false, onChoose }: FileFieldProps): ReactElement {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      <div className={styles['file']}>
        <Button icon="upload" isBusy={isBusy} onClick={() => input.current?.click()}>
          {choose}
        </Button>
        <span>{name}</span>
      </div>
      <input
        ref={input}
        id={id}
        type="file"
        hidden
        accept={accept}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) onChoose(file);
          target.value = '';
        }}
      />
    </div>
  );
}
