/** A dialog above the page. It keeps the focus inside, closes with Escape, and gives the focus back. */
import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactElement, ReactNode } from 'react';
import { useTexts } from '../texts/texts.ts';
import { IconButton } from './button.tsx';
import styles from './dialog.module.css';
import { COMMON } from './texts.ts';

interface DialogProps {
  title: string;
  onClose(): void;
  children: ReactNode;
  /** The buttons below. */
  actions?: ReactNode;
  width?: 'narrow' | 'wide';
  /** Only its buttons close it, because what it shows cannot be seen again. */
  isKept?: boolean;
  /** Where the focus goes afterwards; to where it was when this is missing or returns true, and nowhere with false. */
  finalFocus?: (() => HTMLElement | boolean) | undefined;
}

export function Dialog(props: DialogProps): ReactElement {
  const { title, onClose, children, actions, width = 'narrow', isKept = false, finalFocus } = props;
  const texts = useTexts(COMMON);
  return (
    <Base.Root open onOpenChange={(open) => !open && !isKept && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={styles['backdrop']} />
        <Base.Popup className={`${styles['dialog']} ${styles[width]}`} finalFocus={finalFocus}>
          <header className={styles['head']}>
            <Base.Title className={styles['title']} dir="auto">
              {title}
            </Base.Title>
            <IconButton icon="close" label={texts.close} onClick={onClose} />
          </header>
          <div className={styles['body']}>{children}</div>
          {actions && <footer className={styles['actions']}>{actions}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
