/** A button that opens the pairing of a phone. */
import { useState, type ReactElement } from 'react';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { COMMON } from '../../../ui/texts.ts';
import styles from '../inboxes.module.css';
import { Pairing } from './pairing.tsx';
import { GATEWAY } from './texts.ts';

export function PairPhone({ inbox }: { inbox: string }): ReactElement {
  const texts = useTexts(GATEWAY);
  const common = useTexts(COMMON);
  const [isOpen, open] = useState(false);
  const close = (): void => open(false);
  return (
    <>
      <Button icon="phone" onClick={() => open(true)}>
        {texts.pair}
      </Button>
      {isOpen && (
        <Dialog title={texts.pair} onClose={close} actions={<Button onClick={close}>{common.close}</Button>}>
          <div className={styles['check']} role="status">
            <Pairing inbox={inbox} />
          </div>
        </Dialog>
      )}
    </>
  );
}
