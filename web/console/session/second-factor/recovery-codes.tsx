/** The recovery codes, which are shown once: to copy, or to keep as a file. */
import type { ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { saveFile } from '../../ui/download.ts';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import styles from './second-factor.module.css';
import { SECOND_FACTOR } from './texts.ts';

export function RecoveryCodes({ codes, onKept }: { codes: readonly string[]; onKept(): void }): ReactElement {
  const texts = useTexts(SECOND_FACTOR);
  const common = useTexts(COMMON);
  const text = `${codes.join('\n')}\n`;
  const copy = async (): Promise<void> => {
    // Failure policy: a browser lets a page write to the clipboard over https only. The codes can be selected and downloaded.
    await navigator.clipboard?.writeText(text).then(
      () => showNotice(common.copied),
      () => undefined,
    );
  };
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
        <Button icon="copy" autoFocus onClick={() => void copy()}>
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
