/** Asks before a dialog is closed in which fields were changed. */
import { useRef, useState, type FocusEvent, type ReactElement } from 'react';
import { useTexts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import styles from './dialog.module.css';
import { COMMON } from './texts.ts';

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** A text that is searched for is no value of a form. */
const isField = (target: Element): target is Field => target.matches('input:not([type=search]), textarea, select');

const read = (field: Field): string =>
  /^(checkbox|radio)$/.test(field.type) ? `${field.matches(':checked')}` : field.value;

interface Discarding {
  isAsked: boolean;
  /** Closes the dialog, or asks when a field was changed. A second Escape answers the question. */
  leave(event?: Event): void;
  /** Returns to the field that had the focus. */
  stay(): void;
  /** Notes the value of a field before it can be changed. */
  onFocus(event: FocusEvent): void;
}

export function useDiscarding(onClose: () => void): Discarding {
  const [isAsked, ask] = useState(false);
  const before = useRef(new Map<Field, string>());
  const last = useRef<HTMLElement>(null);
  const isChanged = (): boolean =>
    [...before.current].some(([field, value]) => field.isConnected && read(field) !== value);
  return {
    isAsked,
    leave: (event) => {
      if (!isChanged()) onClose();
      else if (!isAsked) ask(true);
      else if (event instanceof KeyboardEvent && !event.repeat) onClose();
    },
    stay: () => {
      ask(false);
      last.current?.focus();
    },
    onFocus: ({ target, currentTarget }) => {
      // The focus of a dialog above this one comes here, too.
      if (!currentTarget.contains(target)) return;
      ask(false);
      last.current = target as HTMLElement;
      if (isField(target) && !before.current.has(target)) before.current.set(target, read(target));
    },
  };
}

/** The question, in place of the buttons of the dialog. */
export function DiscardQuestion({ onStay, onDiscard }: { onStay(): void; onDiscard(): void }): ReactElement {
  const texts = useTexts(COMMON);
  return (
    <div className={styles['actions']} role="group" aria-label={texts.discardTyped}>
      <p className={styles['question']} role="alert">
        {texts.discardTyped}
      </p>
      <Button autoFocus onClick={onStay}>
        {texts.keepEditing}
      </Button>
      <Button kind="danger" onClick={onDiscard}>
        {texts.discard}
      </Button>
    </div>
  );
}
