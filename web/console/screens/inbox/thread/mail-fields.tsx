/** The recipients and the subject of the mail that the user writes: a summary in one line, which unfolds to fields. */
import { useState, type ReactElement } from 'react';
import { useTexts } from '../../../texts/texts.ts';
import { Icon } from '../../../ui/icon.tsx';
import type { MailWriting } from './mail-head.ts';
import { MailInputs } from './mail-inputs.tsx';
import { MAIL } from './mail-texts.ts';
import styles from './mail-fields.module.css';

const FIELDS = ['to', 'cc', 'bcc', 'subject'] as const;

export function MailFields({ writing }: { writing: MailWriting }): ReactElement {
  const texts = useTexts(MAIL);
  const [isOpen, open] = useState(false);
  const { head, usual, wrong, set } = writing;
  const shown = { ...head, to: head.to || usual.to, subject: head.subject || usual.subject };
  return (
    <div className={styles['mail']}>
      <button type="button" className={styles['line']} aria-expanded={isOpen} onClick={() => open(!isOpen)}>
        <Icon name="down" size={14} />
        <span className={styles['summary']}>
          {isOpen
            ? texts.recipients
            : FIELDS.filter((field) => shown[field] !== '')
                .map((field) => `${texts[field]}: ${shown[field]}`)
                .join(' · ') || texts.recipients}
        </span>
      </button>
      {isOpen && (
        <div className={styles['fields']}>
          <MailInputs fields={FIELDS} {...{ head, usual }} autoFocus onChange={set} />
        </div>
      )}
      <p className={styles['wrong']} role="alert">
        {!isOpen && wrong !== null && texts.noAddress(wrong)}
      </p>
    </div>
  );
}
