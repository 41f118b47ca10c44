/**
 * A dialog above the page. It begins at its first field, keeps the focus inside, is confirmed with Enter, closes with Escape, asks first when
 * a field was changed, and gives the focus back.
 */
import { Dialog as Base } from '@base-ui/react/dialog';
import { useEffect, useRef, type ReactElement, type ReactNode, type RefObject } from 'react';
import { useTexts } from '../texts/texts.ts';
import { IconButton } from './button.tsx';
import { confirmOnEnter } from './confirming.ts';
import styles from './dialog.module.css';
import { DiscardQuestion, useDiscarding } from './discarding.tsx';
import { COMMON } from './texts.ts';

/** Where the focus goes when a dialog closes; to where it was when this is missing or returns true, and nowhere with false. */
export type FinalFocus = (() => HTMLElement | boolean) | undefined;

interface DialogProps {
  title: string;
  onClose(): void;
  children: ReactNode;
  /** The buttons below. */
  actions?: ReactNode;
  width?: 'narrow' | 'wide';
  /** Only its buttons close it, because what it shows cannot be seen again. */
  isKept?: boolean;
  finalFocus?: FinalFocus;
}

export function Dialog(props: DialogProps): ReactElement {
  const { title, onClose, children, actions, width = 'narrow', isKept = false, finalFocus } = props;
  const texts = useTexts(COMMON);
  const body = useRef<HTMLDivElement>(null);
  const { isAsked, leave, stay, onFocus } = useDiscarding(onClose);
  return (
    <Base.Root open onOpenChange={(open, { event }) => !open && !isKept && leave(event)}>
      <Base.Portal>
        <Base.Backdrop className={styles['backdrop']} />
        <Base.Popup
          className={`${styles['dialog']} ${styles[width]}`}
          initialFocus={() => findStart(body.current)}
          finalFocus={finalFocus}
          onKeyDown={confirmOnEnter}
        >
          <header className={styles['head']}>
            <Base.Title className={styles['title']} dir="auto">
              {title}
            </Base.Title>
            <IconButton icon="close" label={texts.close} onClick={() => leave()} />
          </header>
          <div ref={body} className={styles['body']} tabIndex={-1} onFocus={onFocus}>
            {children}
            <LateStart body={body} />
          </div>
          {actions && (
            <footer className={styles['actions']} hidden={isAsked}>
              {actions}
            </footer>
          )}
          {isAsked && <DiscardQuestion onStay={stay} onDiscard={onClose} />}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** On a phone, the keyboard would cover the dialog. */
const startsAtControl = (): boolean => matchMedia('(pointer: fine)').matches;

const canStart = (control: HTMLElement): boolean =>
  control.tabIndex >= 0 && !control.matches(':disabled, [data-kind=danger]') && control.checkVisibility();

const findControls = (part: Element | null | undefined, kinds: string): HTMLElement[] =>
  [...(part?.querySelectorAll<HTMLElement>(kinds) ?? [])].filter(canStart);

/** The first field or button of the body, or its first link. */
const findControl = (body: Element | null): HTMLElement | undefined =>
  findControls(body, 'input, select, textarea, button, [tabindex="0"]')[0] ?? findControls(body, 'a[href]')[0];

/** Where the focus is at first. Without a control it is the main button, but never one that removes something; then it is the one beside it. */
function findStart(body: HTMLElement | null): HTMLElement | null {
  if (!startsAtControl()) return body;
  const actions = body?.parentElement?.querySelector('footer');
  const main = actions?.querySelector('[data-kind=danger]') ? [] : findControls(actions, '[data-kind=primary]');
  return findControl(body) ?? main[0] ?? findControls(actions, 'button')[0] ?? body;
}

/** Gives the focus to the first control of a body whose contents are read first, unless the user has moved it. */
function LateStart({ body }: { body: RefObject<HTMLElement | null> }): null {
  useEffect(() => {
    if (body.current === null || findControl(body.current)) return undefined;
    const first = findStart(body.current);
    const late = new MutationObserver(() => {
      const control = findControl(body.current);
      if (!control) return;
      late.disconnect();
      if (startsAtControl() && document.activeElement === first) control.focus();
    });
    late.observe(body.current, { childList: true, subtree: true });
    return () => late.disconnect();
  }, [body]);
  return null;
}
