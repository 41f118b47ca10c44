/** A button for what cannot be taken back: it asks once more before it acts, and forgets the question when the focus leaves it. */
import { useState, type ReactElement } from 'react';
import { Button } from './button.tsx';
import styles from './field.module.css';
import type { IconName } from './icon.tsx';

interface ConfirmButtonProps {
  label: string;
  /** What the button says after the first press. */
  question: string;
  /** What is lost; shown between the two presses. */
  meaning?: string | undefined;
  icon?: IconName;
  isBusy?: boolean;
  onConfirm(): void;
}

export function ConfirmButton({
  label,
  question,
  meaning,
  icon = 'remove',
  isBusy = false,
  onConfirm,
}: ConfirmButtonProps): ReactElement {
  const [isAsked, ask] = useState(false);
  const press = (): void => {
    ask(!isAsked);
    if (isAsked) onConfirm();
  };
  return (
    <>
      {isAsked && meaning !== undefined && (
        <p className={styles['problem']} role="alert">
          {meaning}
        </p>
      )}
      <Button kind="danger" icon={icon} isBusy={isBusy} onClick={press} onBlur={() => ask(false)}>
        {isAsked ? question : label}
      </Button>
    </>
  );
}
