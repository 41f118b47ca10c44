/** The fields for the recipients and the subject of a mail. */
import type { ReactElement } from 'react';
import { useTexts } from '../../../texts/texts.ts';
import { TextField } from '../../../ui/field.tsx';
import { findWrong, type MailHead } from './mail-head.ts';
import { MAIL } from './mail-texts.ts';

interface MailInputsProps {
  fields: readonly (keyof MailHead)[];
  head: MailHead;
  /** What the mail gets where nothing is typed. */
  usual?: Partial<MailHead>;
  /** Gives the focus to the first field. */
  autoFocus?: boolean;
  onChange(head: MailHead): void;
}

export function MailInputs({ fields, head, usual = {}, autoFocus = false, onChange }: MailInputsProps): ReactElement {
  const texts = useTexts(MAIL);
  const explain = (field: keyof MailHead): string | null => {
    const wrong = field === 'subject' ? null : findWrong(head[field]);
    return wrong === null ? null : texts.noAddress(wrong);
  };
  return (
    <>
      {fields.map((field, index) => (
        <TextField
          key={field}
          autoFocus={autoFocus && index === 0}
          label={texts[field]}
          autoComplete="off"
          maxLength={field === 'subject' ? 255 : 2_000}
          placeholder={usual[field]}
          value={head[field]}
          error={explain(field)}
          onChange={(text) => onChange({ ...head, [field]: text })}
        />
      ))}
    </>
  );
}
