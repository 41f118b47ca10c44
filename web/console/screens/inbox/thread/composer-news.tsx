/** What keeps a message from being sent, above the field in which it is written. */
import type { Contact } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useTexts } from '../../../texts/texts.ts';
import { BlockedNotice } from './blocking.tsx';
import styles from './composer.module.css';
import { THREAD } from './texts.ts';

interface News {
  isAwaited: boolean;
  /** How many files were not uploaded. */
  failed: number;
  /** A variable of a quick reply for which the contact has no value. */
  unfilled: string | null;
  /** The contact, if it is blocked. */
  blocked: Contact | null;
}

/** Says what the sending waits for. */
export function ComposerNews({ isAwaited, failed, unfilled, blocked }: News): ReactElement {
  const texts = useTexts(THREAD);
  return (
    <>
      {blocked && <BlockedNotice contact={blocked} />}
      <p className={styles['wait']} role="status">
        {isAwaited && texts.waitsForUpload}
        {failed > 0 && texts.removeFailed(failed)}
        {unfilled !== null && texts.fillIn(unfilled)}
      </p>
    </>
  );
}
