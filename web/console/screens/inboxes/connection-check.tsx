/** Follows the platform's check of an inbox at the network until it is decided. */
import type { Inbox } from '@parley/sdk';
import type { ReactElement } from 'react';
import { toPlatformAddress } from '../../client.ts';
import { useTexts } from '../../texts/texts.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import { Failure, Loading } from '../../ui/state.tsx';
import { LogInLink } from './account/log-in-link.tsx';
import { ACCOUNT } from './account/texts.ts';
import { lacksLogIn, lacksPhone, nameAddress, StateBadge, useCause } from './connection.tsx';
import { Pairing } from './gateway/pairing.tsx';
import { useInbox } from '../../records/inboxes.ts';
import styles from './inboxes.module.css';
import { MAILBOX } from './mailbox/texts.ts';
import { INBOXES } from './texts.ts';

export function ConnectionCheck({ id }: { id: string }): ReactElement {
  const texts = useTexts(INBOXES);
  const mailbox = useTexts(MAILBOX);
  const account = useTexts(ACCOUNT);
  const explain = useCause();
  const { data: inbox, error } = useInbox(id);
  if (!inbox) return error ? <Failure error={error} /> : <Loading />;
  const isPushed = inbox.email_config !== undefined && !inbox.email_config.imap_url;
  const invites: Partial<Record<Inbox['channel'], (address: string) => string>> = {
    EMAIL: isPushed ? mailbox.handOver : mailbox.writeToIt,
    PROFESSIONAL_NETWORK: account.connected,
  };
  const invite = invites[inbox.channel] ?? texts.writeToIt;
  return (
    <div className={styles['check']} role="status">
      <p>
        <strong>{inbox.name}</strong> <StateBadge inbox={inbox} />
      </p>
      <p>{explain(inbox)}</p>
      {lacksPhone(inbox) && <Pairing inbox={id} />}
      {lacksLogIn(inbox) && <LogInLink inbox={id} />}
      {inbox.connection.status === 'CONNECTED' && (
        <>
          <p className={styles['hint']}>{invite(nameAddress(inbox))}</p>
          {isPushed && <CopyField label={mailbox.handOverAddress} value={toPlatformAddress(`hooks/email/${id}`)} />}
        </>
      )}
    </div>
  );
}
