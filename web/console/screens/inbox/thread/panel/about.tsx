/** The facts about the contact, and the buttons to edit or block it. */
import type { Contact } from '@parley/sdk';
import { Suspense, useState, type ReactElement } from 'react';
import { Link } from 'wouter';
import { toScreen } from '../../../../client.ts';
import { useBusiness } from '../../../../records/businesses.ts';
import { useCustomFields, useUserName } from '../../../../records/company.ts';
import { showUsername } from '../../../../records/contacts.ts';
import { useMay } from '../../../../session/session.ts';
import { CONTACT_FIELDS } from '../../../../texts/contact-fields.ts';
import { formatMoment } from '../../../../texts/formats.ts';
import { useTexts } from '../../../../texts/texts.ts';
import { Badge } from '../../../../ui/badge.tsx';
import { Button } from '../../../../ui/button.tsx';
import { ContactBadges } from '../../../../ui/contact-badges.tsx';
import { listCustomDetails } from '../../../../ui/custom-fields.tsx';
import { Details, type Detail } from '../../../../ui/details.tsx';
import { lazyPart, LoadingDialog } from '../../../../ui/lazy-part.tsx';
import { COMMON } from '../../../../ui/texts.ts';
import { BlockButton } from '../blocking.tsx';
import { THREAD } from '../texts.ts';
import styles from './panel.module.css';
import { nameLoaded } from './section.tsx';

const ContactDialog = lazyPart(async () => (await import('../../../contacts/contact-dialog.tsx')).ContactDialog);

export function AboutContact({ contact }: { contact: Contact }): ReactElement {
  const may = useMay('contacts:update');
  return (
    <div className={styles['section']}>
      {(contact.opted_out || contact.blocked || contact.tags.length > 0) && (
        <p className={styles['badges']}>
          <ContactBadges contact={contact} />
          {contact.tags.map((tag) => (
            <Badge key={tag}>{tag}</Badge>
          ))}
        </p>
      )}
      <Details layout="lines" items={useFacts(contact)} />
      {may && <Actions contact={contact} />}
    </div>
  );
}

function useFacts(contact: Contact): Detail[] {
  const texts = useTexts(THREAD);
  const names = useTexts(CONTACT_FIELDS);
  const fields = useCustomFields('contact');
  const owner = useUserName(contact.owner);
  const maySeeBusiness = useMay('businesses:read');
  const facts: Detail[] = [
    [texts.phone, contact.phone_number],
    [texts.email, contact.email],
    [names.username, showUsername(contact)],
    [texts.language, contact.language],
    contact.business !== null &&
      maySeeBusiness && [names.business, <BusinessLink key="business" id={contact.business} />],
    [names.owner, owner],
    [texts.lastWrote, contact.last_inbound_at && formatMoment(contact.last_inbound_at)],
    ...listCustomDetails(fields, contact.custom_fields),
  ];
  return facts.filter((fact) => fact && fact[1] !== null);
}

function BusinessLink({ id }: { id: string }): ReactElement {
  const business = useBusiness(id);
  const name = nameLoaded(business);
  return business.data ? <Link href={toScreen(`/businesses/${id}`)}>{name}</Link> : <>{name}</>;
}

function Actions({ contact }: { contact: Contact }): ReactElement {
  const common = useTexts(COMMON);
  const [isEditing, edit] = useState(false);
  return (
    <p className={styles['actions']}>
      <Button icon="edit" onClick={() => edit(true)}>
        {common.edit}
      </Button>
      <BlockButton contact={contact} />
      {isEditing && (
        <Suspense fallback={<LoadingDialog onClose={() => edit(false)} />}>
          <ContactDialog contact={contact} onClose={() => edit(false)} />
        </Suspense>
      )}
    </p>
  );
}
