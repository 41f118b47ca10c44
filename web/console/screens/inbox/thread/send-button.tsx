/** The send button, with a menu of later times. */
import type { ReactElement } from 'react';
import { findReturn } from '../../../frame/writing.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Menu } from '../../../ui/menu.tsx';
import styles from './composer.module.css';
import { SENDING } from './sending-texts.ts';
import { THREAD } from './texts.ts';
import { useTimeMenu } from './time-menu.tsx';

interface SendButtonProps {
  canSend: boolean;
  isBusy: boolean;
  onSend(): void;
  /** Null while the message cannot be scheduled. */
  onLater: ((at: string) => void) | null;
}

export function SendButton({ canSend, isBusy, onSend, onLater }: SendButtonProps): ReactElement {
  const texts = useTexts(THREAD);
  const sending = useTexts(SENDING);
  const words = { title: sending.sendLater, label: sending.sendAt };
  const { items, dialog } = useTimeMenu(words, (at) => onLater?.(at));
  return (
    <span className={styles['split']}>
      <Button kind="primary" icon="send" disabled={!canSend} isBusy={isBusy} onClick={onSend}>
        {texts.send}
      </Button>
      <Menu
        title={sending.sendLater}
        items={items}
        finalFocus={findReturn}
        trigger={
          <Button
            kind="primary"
            icon="down"
            disabled={!canSend || isBusy || onLater === null}
            title={sending.sendLater}
            aria-label={sending.sendLater}
          />
        }
      />
      {dialog}
    </span>
  );
}
