/** The recovery codes, which are shown once: to copy, or to keep as a file. */
import type { ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { saveFile } from '../../ui/download.ts';
import styles from './second-factor.module.css';
import { SECOND_FACTOR } from './texts.ts';

export function RecoveryCodes({ codes, onKept }: { codes: readonly string[]; onKept(): void }): ReactElement {
  const texts = useTexts(SECOND_FACTOR);
  const text = `${codes.join('\n')}\n`;
  return (
    <div className={styles['steps']}>
      <h3>{texts.codesTitle}</h3>
      <p>{texts.codesLead}</p>
      <ul className={styles['codes']} aria-label={texts.codes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className={styles['actions']}>
        {/* Failure policy: if the browser refuses to copy, the codes can be selected and downloaded. */}
        <Button icon="copy" autoFocus onClick={() => void copyText(text)}>
          {texts.copy}
        </Button>
        <Button icon="download" onClick={() => void saveFile(new Response(text), 'parley-recovery-codes.txt')}>
          {texts.download}
        </Button>
        <Button kind="primary" onClick={onKept}>
          {texts.kept}
        </Button>
      </div>
    </div>
  );
}
