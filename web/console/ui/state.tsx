/** What a part of the page shows when it has nothing to show: it is loading, it is empty, or it has failed. */
import type { ReactElement, ReactNode } from 'react';
import { useTexts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';
import { explainError } from './problem.ts';
import styles from './state.module.css';
import { COMMON } from './texts.ts';

export function Loading(): ReactElement {
  const texts = useTexts(COMMON);
  return (
    <div className={styles['state']} role="status">
      <span className={styles['spinner']} aria-hidden="true" />
      <span className="unseen">{texts.loading}</span>
    </div>
  );
}

export function Empty({
  icon,
  title,
  children,
}: {
  icon: IconName;
  title: string;
  children?: ReactNode;
}): ReactElement {
  return (
    <div className={styles['state']}>
      <Icon name={icon} size={32} />
      <p className={styles['title']}>{title}</p>
      {children}
    </div>
  );
}

export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => void }): ReactElement {
  const texts = useTexts(COMMON);
  return (
    <div className={styles['state']} role="alert">
      <Icon name="warning" size={32} />
      <p>{explainError(error)}</p>
      {onRetry && <Button onClick={onRetry}>{texts.tryAgain}</Button>}
    </div>
  );
}
