/** Follows the platform's check of an inbox at the network until it is decided. */
import { useEffect, type ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Failure, Loading } from '../../ui/state.tsx';
import { lacksPhone, nameAddress, StateBadge, useCause } from './connection.tsx';
import { Pairing } from './gateway/pairing.tsx';
import { showInbox, useInbox } from './inbox-list.ts';
import styles from './inboxes.module.css';
import { MAILBOX } from './mailbox/texts.ts';
import { INBOXES } from './texts.ts';

export function ConnectionCheck({ id }: { id: string }): ReactElement {
  const texts = useTexts(INBOXES);
  const mailbox = useTexts(MAILBOX);
  const explain = useCause();
  const { data: inbox, error } = useInbox(id, { followCheck: true });
  useEffect(() => {
    if (inbox) showInbox(inbox);
  }, [inbox]);
  if (!inbox) return error ? <Failure error={error} /> : <Loading />;
  const invite = inbox.channel === 'EMAIL' ? mailbox.writeToIt : texts.writeToIt;
  return (
    <div className={styles['check']} role="status">
      <p>
        <strong>{inbox.name}</strong> <StateBadge inbox={inbox} />
      </p>
      <p>{explain(inbox)}</p>
      {lacksPhone(inbox) && <Pairing inbox={id} />}
      {inbox.connection.status === 'CONNECTED' && <p className={styles['hint']}>{invite(nameAddress(inbox))}</p>}
    </div>
  );
}
