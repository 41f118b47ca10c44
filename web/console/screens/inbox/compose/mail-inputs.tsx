/** The subject and the further recipients of a mail that starts a conversation. */
import type { Inbox } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { useTexts } from '../../../texts/texts.ts';
import { TextField } from '../../../ui/field.tsx';
import { NO_HEAD, readHeadOf, type GivenMail } from '../thread/mail-head.ts';
import { MAIL } from '../thread/mail-texts.ts';

interface MailInputs {
  /** Absent for what is no mail, or has nothing chosen. */
  email: GivenMail | undefined;
  isWrong: boolean;
  /** Null on channels whose messages are no mails. */
  fields: ReactElement | null;
}

export function useMailInputs(channel: Inbox['channel'] | undefined, subject: string): MailInputs {
  const texts = useTexts(MAIL);
  const [head, change] = useState({ ...NO_HEAD, subject });
  if (channel !== 'EMAIL') return { email: undefined, isWrong: false, fields: null };
  const { given, wrong } = readHeadOf(head);
  const isWrongIn = (text: string): boolean => wrong !== null && text.includes(wrong);
  return {
    email: given ?? undefined,
    isWrong: wrong !== null,
    fields: (
      <>
        {(['cc', 'bcc', 'subject'] as const).map((field) => (
          <TextField
            key={field}
            label={texts[field]}
            autoComplete="off"
            maxLength={field === 'subject' ? 255 : 2_000}
            value={head[field]}
            error={field !== 'subject' && isWrongIn(head[field]) ? texts.noAddress(wrong ?? '') : null}
            onChange={(text) => change({ ...head, [field]: text })}
          />
        ))}
      </>
    ),
  };
}
