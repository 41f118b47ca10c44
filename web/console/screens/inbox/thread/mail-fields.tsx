/** Who gets the mail that is being written, and its subject: one line, and fields when it is opened. */
import { useEffect, useId, useRef, useState, type ReactElement } from 'react';
import { useTexts } from '../../../texts/texts.ts';
import { Icon } from '../../../ui/icon.tsx';
import type { MailWriting } from './mail-head.ts';
import { MAIL } from './mail-texts.ts';
import styles from './mail-fields.module.css';

const FIELDS = ['to', 'cc', 'bcc', 'subject'] as const;

export function MailFields({ writing }: { writing: MailWriting }): ReactElement {
  const texts = useTexts(MAIL);
  const id = useId();
  const first = useRef<HTMLInputElement>(null);
  const [isOpen, open] = useState(false);
  const { head, usual, wrong, set } = writing;
  const shown = { ...head, to: head.to || usual.to, subject: head.subject || usual.subject };
  useEffect(() => (isOpen ? first.current?.focus() : undefined), [isOpen]);
  return (
    <div className={styles['mail']}>
      <button
        type="button"
        className={styles['line']}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => open(!isOpen)}
      >
        <Icon name="down" size={14} />
        <span className={styles['summary']}>
          {isOpen
            ? texts.recipients
            : FIELDS.filter((field) => shown[field] !== '')
                .map((field) => `${texts[field]}: ${shown[field]}`)
                .join(' · ') || texts.recipients}
        </span>
      </button>
      <div id={id} className={styles['fields']} hidden={!isOpen}>
        {FIELDS.map((field) => (
          <label key={field} className={styles['field']}>
            <span>{texts[field]}</span>
            <input
              ref={field === 'to' ? first : undefined}
              dir="auto"
              autoComplete="off"
              maxLength={field === 'subject' ? 255 : 2_000}
              value={head[field]}
              placeholder={field === 'to' || field === 'subject' ? usual[field] : ''}
              onChange={({ target }) => set({ ...head, [field]: target.value })}
            />
          </label>
        ))}
      </div>
      <p className={styles['wrong']} role="alert">
        {wrong !== null && texts.noAddress(wrong)}
      </p>
    </div>
  );
}
