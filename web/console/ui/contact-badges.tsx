/** Whether a contact is blocked and wants no messages. */
import type { Contact } from '@parley/sdk';
import type { ReactElement } from 'react';
import { CONTACT_FIELDS } from '../texts/contact-fields.ts';
import { useTexts } from '../texts/texts.ts';
import { Badge } from './badge.tsx';

export function ContactBadges({ contact: { blocked, opted_out } }: { contact: Contact }): ReactElement {
  const names = useTexts(CONTACT_FIELDS);
  return (
    <>
      {blocked && <Badge tone="danger">{names.blocked}</Badge>}{' '}
      {opted_out && <Badge tone="warning">{names.opted_out}</Badge>}
    </>
  );
}
