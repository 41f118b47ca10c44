/**
 * A button that opens the log-in of an inbox whose account has none, or has lost it. The dialog stays open when somebody has logged in, and
 * says so.
 */
import type { Inbox } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { COMMON } from '../../../ui/texts.ts';
import { ConnectionCheck } from '../connection-check.tsx';
import { lacksLogIn } from '../connection.tsx';
import styles from '../inboxes.module.css';
import { ACCOUNT } from './texts.ts';

export function LogIn({ inbox }: { inbox: Inbox }): ReactElement {
  const texts = useTexts(ACCOUNT);
  const common = useTexts(COMMON);
  const [isOpen, open] = useState(false);
  const close = (): void => open(false);
  return (
    <>
      {lacksLogIn(inbox) && (
        <div className={styles['actions']}>
          <Button icon="link" kind="primary" onClick={() => open(true)}>
            {inbox.professional_network_config ? texts.logInAgain : texts.logIn}
          </Button>
        </div>
      )}
      {isOpen && (
        <Dialog title={texts.checkTitle} onClose={close} actions={<Button onClick={close}>{common.close}</Button>}>
          <ConnectionCheck id={inbox._id} />
        </Dialog>
      )}
    </>
  );
}
