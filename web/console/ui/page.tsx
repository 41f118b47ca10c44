/** The frame of a screen: its title, what can be done, and its content, which scrolls. */
import { useEffect, useRef, type ReactElement, type ReactNode, type RefObject } from 'react';
import { Link } from 'wouter';
import { useTexts } from '../texts/texts.ts';
import { Icon } from './icon.tsx';
import styles from './page.module.css';
import { COMMON } from './texts.ts';
import { useTitle } from './title.ts';

interface PageProps {
  title: string;
  /** One sentence about what the screen is for. */
  lead?: ReactNode;
  /** Buttons beside the title. */
  actions?: ReactNode;
  /** The address of the list that this page was opened from. */
  back?: string;
  /** Nothing in the content can be focused, so the content itself can, to be scrolled with the keyboard. */
  isReadOnly?: boolean;
  children: ReactNode;
}

export function Page({ title, lead, actions, back, isReadOnly = false, children }: PageProps): ReactElement {
  useTitle(title);
  const heading = useEntrance();
  const texts = useTexts(COMMON);
  return (
    <main className={styles['page']}>
      <header className={styles['head']}>
        {back !== undefined && (
          <Link href={back} className={styles['back']} aria-label={texts.back} title={texts.back}>
            <Icon name="back" />
          </Link>
        )}
        <div className={styles['titles']}>
          <h1 ref={heading} tabIndex={-1} dir="auto">
            {title}
          </h1>
          {lead && <p className={styles['lead']}>{lead}</p>}
        </div>
        {actions && <div className={styles['actions']}>{actions}</div>}
      </header>
      <div className={styles['body']} {...(isReadOnly && { tabIndex: 0 })}>
        {children}
      </div>
    </main>
  );
}

/** False until the first screen is there: the keys of a page that was just loaded begin at its top. */
let isEntered = false;

/**
 * Begins at the heading of a screen that was opened by a key, such as from the palette or by a button that is gone now. Otherwise the keys
 * would begin at the top of the page.
 */
function useEntrance(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isEntered && document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  useEntered();
  return heading;
}

/** Notes that the first screen is there. Each screen calls it, also one without a heading. */
export function useEntered(): void {
  useEffect(() => {
    isEntered = true;
  }, []);
}

/** A group of related content on a screen. */
export function Card({ title, children }: { title?: string; children: ReactNode }): ReactElement {
  return (
    <section className={`${styles['card']} ${title ? styles['titled'] : ''}`}>
      {title && <h2>{title}</h2>}
      <div className={styles['content']}>{children}</div>
    </section>
  );
}
