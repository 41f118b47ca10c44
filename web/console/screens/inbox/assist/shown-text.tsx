/** A text that the model has written to be read, or the news that it is being written. */
import type { ReactElement } from 'react';
import { returnToComposer } from '../../../frame/writing.ts';
import { useTexts } from '../../../texts/texts.ts';
import { COMMON } from '../../../ui/texts.ts';
import styles from './assist.module.css';
import { hide, type Reading } from './reading.ts';
import { ASSIST } from './texts.ts';

interface ShownTextProps {
  id: string;
  reading: Reading;
  kind: 'SUMMARY' | 'TRANSLATION';
}

export function ShownText({ id, reading: { text, isShortened }, kind }: ShownTextProps): ReactElement {
  const texts = useTexts(ASSIST);
  const common = useTexts(COMMON);
  const isSummary = kind === 'SUMMARY';
  const title = isSummary ? texts.summary : isShortened ? texts.shortened : texts.translation;
  const busy = isSummary ? texts.summarizing : texts.translating;
  return (
    <div className={styles[isSummary ? 'block' : 'translation']} role="status" aria-label={title}>
      {text !== null && (
        <p className={styles['text']} dir="auto">
          {text}
        </p>
      )}
      <p className={styles['foot']}>
        {text === null ? busy : title}
        <button
          type="button"
          className={styles['link']}
          onClick={() => {
            hide(id);
            returnToComposer();
          }}
        >
          {text === null ? common.cancel : texts.hide}
        </button>
      </p>
    </div>
  );
}
