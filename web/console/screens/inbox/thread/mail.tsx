/** What a message that is a mail has besides its text: its subject, and the parts that the text leaves out. */
import type { Message } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Details } from '../../../ui/details.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { MessageText } from '../../../ui/message-text.tsx';
import { Failure, Loading } from '../../../ui/state.tsx';
import { findReturn } from '../../../frame/writing.ts';
import content from './content.module.css';
import { MAIL } from './mail-texts.ts';
import styles from './message.module.css';

type Mail = NonNullable<Message['email']>;

/** A mail without a text shows its subject as its text. */
export function MailSubject({ message: { email, content: text } }: { message: Message }): ReactElement | null {
  if (email === null || email.subject === null || email.subject === text) return null;
  return <p className={styles['subject']}>{email.subject}</p>;
}

/** Lists the other recipients of a mail, and where replies go if not to its sender. */
export function MailPeople({ message: { email, message_type } }: { message: Message }): ReactElement | null {
  const texts = useTexts(MAIL);
  if (email === null) return null;
  const lines: [name: string, addresses: readonly string[]][] = [
    [texts.to, message_type === 'OUTGOING' ? email.to : []],
    [texts.cc, email.cc],
    [texts.bcc, email.bcc ?? []],
    [texts.replyTo, email.reply_to],
  ];
  return (
    <>
      {lines
        .filter(([, addresses]) => addresses.length > 0)
        .map(([name, addresses]) => (
          <p key={name} className={styles['who']} dir="auto">
            {name}: {addresses.join(', ')}
          </p>
        ))}
    </>
  );
}

/** Opens the whole text of a mail, with the quoted mails and the signature. */
export function WholeMailButton({ message: { _id, email } }: { message: Message }): ReactElement | null {
  const texts = useTexts(MAIL);
  const [isOpen, open] = useState(false);
  if (!email?.is_shortened) return null;
  return (
    <>
      <button type="button" className={styles['work']} onClick={() => open(true)}>
        {texts.showWhole}
      </button>
      {isOpen && <WholeMail id={_id} email={email} onClose={() => open(false)} />}
    </>
  );
}

function WholeMail({ id, email, onClose }: { id: string; email: Mail; onClose(): void }): ReactElement {
  const texts = useTexts(MAIL);
  const { data: body, error } = useQuery({
    queryKey: ['message-body', id],
    queryFn: ({ signal }) => parley.messages.getBody(id, { signal }),
  });
  return (
    <Dialog title={email.subject ?? texts.whole} onClose={onClose} finalFocus={findReturn}>
      <Details
        layout="lines"
        items={[
          email.to.length > 0 && [texts.to, email.to.join(', ')],
          email.cc.length > 0 && [texts.cc, email.cc.join(', ')],
        ]}
      />
      {error ? <Failure error={error} /> : body === undefined && <Loading />}
      {body && (
        <p className={content['text']} dir="auto">
          <MessageText text={body.content ?? ''} hasMarks={false} />
        </p>
      )}
    </Dialog>
  );
}
