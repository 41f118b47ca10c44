/** The text of a quick reply, with buttons that insert its variables where the caret is. */
import { useId, useRef, type ReactElement } from 'react';
import { VARIABLES, type Variable } from '../../records/quick-replies.ts';
import { useTexts } from '../../texts/texts.ts';
import { TextArea } from '../../ui/field.tsx';
import styles from './quick-replies.module.css';
import { REPLIES } from './texts.ts';

interface ContentFieldProps {
  value: string;
  error: string | null;
  isLocked: boolean;
  onChange(value: string): void;
}

export function ContentField({ value, error, isLocked, onChange }: ContentFieldProps): ReactElement {
  const texts = useTexts(REPLIES);
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const insert = (name: Variable): void => {
    const field = area.current;
    if (!field) return;
    field.setRangeText(`{{${name}}}`, field.selectionStart, field.selectionEnd, 'end');
    onChange(field.value);
    field.focus();
  };
  return (
    <div className={styles['content']}>
      <TextArea
        ref={area}
        label={texts.content}
        hint={texts.contentHint}
        rows={4}
        value={value}
        disabled={isLocked}
        onChange={onChange}
        error={error}
      />
      {!isLocked && (
        <div role="group" aria-labelledby={id}>
          <p id={id} className={styles['label']}>
            {texts.insert}
          </p>
          <div className={styles['variables']}>
            {VARIABLES.map((name) => (
              <button key={name} type="button" className={styles['variable']} onClick={() => insert(name)}>
                {texts[name]}
              </button>
            ))}
          </div>
        </div>
      )}
    </div>
  );
}
