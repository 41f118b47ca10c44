/** The files that will be sent, each with its state. */
import type { ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Button, IconButton } from '../button.tsx';
import { Icon } from '../icon.tsx';
import { COMMON } from '../texts.ts';
import { UPLOADS } from './texts.ts';
import styles from './upload-list.module.css';
import { canRetry, type Upload } from './uploads.ts';

interface UploadListProps {
  files: readonly Upload[];
  onRemove(key: string): void;
  onRetry(key: string): void;
}

export function UploadList({ files, onRemove, onRetry }: UploadListProps): ReactElement | null {
  const texts = useTexts(UPLOADS);
  const common = useTexts(COMMON);
  if (files.length === 0) return null;
  return (
    <ul className={styles['files']} aria-label={texts.files}>
      {files.map(({ key, name, preview, attachment, problem }) => (
        <li key={key} className={styles['file']} data-failed={problem !== null}>
          {preview === null ? <Icon name="file" /> : <img className={styles['picture']} src={preview} alt="" />}
          {/* Most problems name the file. */}
          {!problem?.includes(name) && (
            <span className={styles['name']} dir="auto">
              {name}
            </span>
          )}
          <span className={styles['state']} role="status">
            {problem ?? (attachment === null ? texts.uploading : '')}
          </span>
          {problem !== null && canRetry(key) && (
            <Button icon="refresh" aria-label={texts.tryAgain(name)} onClick={() => onRetry(key)}>
              {common.tryAgain}
            </Button>
          )}
          <IconButton icon="close" label={`${common.remove}: ${name}`} onClick={() => onRemove(key)} />
        </li>
      ))}
    </ul>
  );
}
