/** Offers, below the list of the bell, to push notifications to this browser. */
import type { ReactElement } from 'react';
import { useSession } from '../session/session.ts';
import { useTexts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { showError } from '../ui/toast.tsx';
import styles from './bell.module.css';
import { turnPushOn, usePushState } from './push.ts';
import { NOTIFICATIONS } from './texts.ts';

export function PushOffer(): ReactElement | null {
  const texts = useTexts(NOTIFICATIONS);
  const { user } = useSession();
  if (usePushState() !== 'OFF') return null;
  return (
    <footer className={styles['offer']}>
      <p>{texts.pushLead}</p>
      <Button onClick={() => void turnPushOn(user).catch(showError)}>{texts.pushOn}</Button>
    </footer>
  );
}
