/** Chooses one file by a button, and shows its name. */
import { useId, useRef, useState, type DragEvent, type ReactElement } from 'react';
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
  /** Makes the field an area onto which a file can be dropped, which says so. */
  dropHint?: string;
  onChoose(file: File): void;
}

export function FileField(props: FileFieldProps): ReactElement {
  const { label, choose, name, accept, isBusy = false, dropHint, onChoose } = props;
  const [isOver, setOver] = useState(false);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      <div
        className={styles['file']}
        data-drop={dropHint !== undefined}
        data-over={isOver}
        {...(dropHint === undefined ? {} : takeDrops(onChoose, setOver))}
      >
        <Button icon="upload" isBusy={isBusy} onClick={() => input.current?.click()}>
          {choose}
        </Button>
        <span>{name ?? dropHint}</span>
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

/** What an element does with the files that are dragged over it. */
const takeDrops = (onDrop: (file: File) => void, setOver: (isOver: boolean) => void) => ({
  onDragOver: (event: DragEvent): void => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setOver(true);
  },
  onDragLeave: (): void => setOver(false),
  onDrop: (event: DragEvent): void => {
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (!file) return;
    // Otherwise the browser opens the file in place of the page.
    event.preventDefault();
    onDrop(file);
  },
});
