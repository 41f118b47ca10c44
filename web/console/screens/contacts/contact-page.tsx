/** One contact: everything that is known of it, and its conversations. */
import type { Contact } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { Link, useLocation } from 'wouter';
import { parley, toScreen } from '../../client.ts';
import { compose, useMayCompose } from '../../frame/composing.ts';
import { FRAME } from '../../frame/texts.ts';
import { useBusiness } from '../../records/businesses.ts';
import { useCustomFields, useUser } from '../../records/company.ts';
import { forgetContact, nameContact, showUsername, useContact } from '../../records/contacts.ts';
import { useMay } from '../../session/session.ts';
import { CONTACT_FIELDS, CONTACT_SOURCES } from '../../texts/contact-fields.ts';
import { formatMoment } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { ContactBadges } from '../../ui/contact-badges.tsx';
import { Button } from '../../ui/button.tsx';
import { listCustomDetails } from '../../ui/custom-fields.tsx';
import { Details, type Detail } from '../../ui/details.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { RemoveDialog } from '../../ui/remove-dialog.tsx';
import { Person } from '../../ui/person.tsx';
import { Empty, Failure, Loading } from '../../ui/state.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import { Tags } from './columns.tsx';
import { ContactConversations } from './contact-conversations.tsx';
import { ContactDialog } from './contact-dialog.tsx';
import { DataMenu } from './data-menu.tsx';
import { useListQuery } from './list-state.ts';
import { MergeDialog } from './merge-dialog.tsx';
import { CONTACTS } from './texts.ts';

export function ContactPage({ id }: { id: string }): ReactElement {
  const texts = useTexts(CONTACTS);
  const common = useTexts(COMMON);
  const withQuery = useListQuery();
  const { data: contact, error } = useContact(id);
  if (error) return <Failure error={error} />;
  if (contact === undefined) return <Loading />;
  if (contact === null) {
    return (
      <Empty icon="contacts" title={texts.notFound}>
        <Link href={withQuery('/')}>{common.back}</Link>
      </Empty>
    );
  }
  return <Known contact={contact} />;
}

function Known({ contact }: { contact: Contact }): ReactElement {
  const texts = useTexts(CONTACTS);
  const withQuery = useListQuery();
  const details = useDetails(contact);
  const fields = useCustomFields('contact');
  return (
    <Page
      title={nameContact(contact)}
      lead={<ContactBadges contact={contact} />}
      back={withQuery('/')}
      actions={<Actions contact={contact} />}
    >
      <Card title={texts.details}>
        <Details items={details} />
      </Card>
      {fields.length > 0 && (
        <Card title={texts.fields}>
          <Details items={listCustomDetails(fields, contact.custom_fields)} />
        </Card>
      )}
      <ContactConversations contact={contact._id} />
    </Page>
  );
}

function useDetails(contact: Contact): Detail[] {
  const names = useTexts(CONTACT_FIELDS);
  const sources = useTexts(CONTACT_SOURCES);
  const owner = useUser(contact.owner);
  const { data: business } = useBusiness(contact.business);
  const { tags, last_message_at: last } = contact;
  const addresses = (['phone_number', 'email'] as const).map((key) => [key, contact[key]] as const);
  const origin = (['country_code', 'language'] as const).map((key) => [key, contact[key]] as const);
  const ids = (['professional_network_identifier', 'external_id'] as const).map((key) => [key, contact[key]] as const);
  const values = [
    ...addresses,
    ['username', showUsername(contact)],
    ...origin,
    ['tags', tags.length > 0 ? <Tags key="tags" tags={tags} /> : null],
    ['owner', owner && <Person key="owner" user={owner} />],
    [
      'business',
      business ? (
        <Link key="business" href={toScreen(`/businesses/${business._id}`)}>
          {business.name}
        </Link>
      ) : null,
    ],
    ...ids,
    ['source', sources[contact.source]],
    ['last_message_at', last && formatMoment(last)],
    ['createdAt', formatMoment(contact.createdAt)],
  ] as const;
  return values.map(([key, value]) => [names[key], value]);
}

type Action = 'EDIT' | 'MERGE' | 'REMOVE';

function Actions({ contact }: { contact: Contact }): ReactElement {
  const texts = useTexts(CONTACTS);
  const common = useTexts(COMMON);
  const [, navigate] = useLocation();
  const withQuery = useListQuery();
  const [action, start] = useState<Action | null>(null);
  const mayChange = useMay('contacts:update');
  const mayRemove = useMay('contacts:delete');
  const mayCompose = useMayCompose();
  const frame = useTexts(FRAME);
  const end = (): void => start(null);
  const forget = (): void => {
    navigate(withQuery('/'));
    forgetContact(contact._id);
    showNotice(texts.removed);
  };
  return (
    <>
      {mayCompose && (
        <Button kind="primary" icon="send" onClick={() => compose(contact)}>
          {frame.compose}
        </Button>
      )}
      {mayChange && (
        <>
          <Button icon="edit" onClick={() => start('EDIT')}>
            {common.edit}
          </Button>
          <Button icon="merge" onClick={() => start('MERGE')}>
            {texts.merge}
          </Button>
        </>
      )}
      <DataMenu contact={contact._id} />
      {mayRemove && (
        <Button icon="remove" onClick={() => start('REMOVE')}>
          {common.remove}
        </Button>
      )}
      {action === 'EDIT' && <ContactDialog contact={contact} onClose={end} />}
      {action === 'MERGE' && <MergeDialog contact={contact} onClose={end} />}
      {action === 'REMOVE' && (
        <RemoveDialog
          title={texts.removeTitle(nameContact(contact))}
          lead={texts.removeLead}
          remove={() => parley.contacts.delete(contact._id)}
          onRemoved={forget}
          onClose={end}
        />
      )}
    </>
  );
}
