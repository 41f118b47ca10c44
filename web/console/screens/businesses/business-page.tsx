/** One business: everything that is known of it, and its contacts. */
import { isParleyError, type Business } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { Link, useLocation } from 'wouter';
import { parley, toScreen } from '../../client.ts';
import { forgetBusiness, useBusiness } from '../../records/businesses.ts';
import { useCustomFields, useUser } from '../../records/company.ts';
import { nameContact, showReach, useContacts } from '../../records/contacts.ts';
import { useMay } from '../../session/session.ts';
import { formatMoment } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { listCustomDetails } from '../../ui/custom-fields.tsx';
import { Details } from '../../ui/details.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { RemoveDialog } from '../../ui/remove-dialog.tsx';
import { Person } from '../../ui/person.tsx';
import { Empty, Failure, Loading } from '../../ui/state.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import { BusinessDialog } from './business-dialog.tsx';
import styles from './businesses.module.css';
import { BUSINESSES } from './texts.ts';

export function BusinessPage({ id }: { id: string }): ReactElement {
  const texts = useTexts(BUSINESSES);
  const common = useTexts(COMMON);
  const { data: business, error } = useBusiness(id);
  if (business) return <Known business={business} />;
  if (!error) return <Loading />;
  if (!isParleyError(error) || error.code !== 'NOT_FOUND') return <Failure error={error} />;
  return (
    <Empty icon="business" title={texts.notFound}>
      <Link href="/">{common.back}</Link>
    </Empty>
  );
}

function Known({ business }: { business: Business }): ReactElement {
  const texts = useTexts(BUSINESSES);
  const fields = useCustomFields('business');
  const owner = useUser(business.owner);
  const { domain, description, createdAt, custom_fields } = business;
  const details = [
    [texts.domain, domain],
    [texts.owner, owner && <Person key="owner" user={owner} />],
    [texts.createdAt, formatMoment(createdAt)],
    [texts.description, description],
  ] as const;
  return (
    <Page title={business.name} back="/" actions={<Actions business={business} />}>
      <Card title={texts.details}>
        <Details items={details} />
      </Card>
      {fields.length > 0 && (
        <Card title={texts.fields}>
          <Details items={listCustomDetails(fields, custom_fields)} />
        </Card>
      )}
      <BusinessContacts business={business._id} />
    </Page>
  );
}

function BusinessContacts({ business }: { business: string }): ReactElement {
  const texts = useTexts(BUSINESSES);
  const common = useTexts(COMMON);
  const feed = useContacts({ business });
  return (
    <Card title={texts.contacts}>
      {feed.isLoading && <Loading />}
      {feed.error && <Failure error={feed.error} />}
      {!feed.isLoading && feed.items.length === 0 && <p>{texts.noContact}</p>}
      <ul>
        {feed.items.map((contact) => (
          <li key={contact._id}>
            <Link href={toScreen(`/contacts/${contact._id}`)} className={styles['contact']}>
              <span>{nameContact(contact)}</span>
              <span className={styles['about']}>{showReach(contact)}</span>
            </Link>
          </li>
        ))}
      </ul>
      {feed.hasMore && (
        <div>
          <Button isBusy={feed.isLoadingMore} onClick={feed.loadMore}>
            {common.loadMore}
          </Button>
        </div>
      )}
    </Card>
  );
}

function Actions({ business }: { business: Business }): ReactElement {
  const texts = useTexts(BUSINESSES);
  const common = useTexts(COMMON);
  const [, navigate] = useLocation();
  const [action, start] = useState<'EDIT' | 'REMOVE' | null>(null);
  const mayChange = useMay('businesses:update');
  const mayRemove = useMay('businesses:delete');
  const end = (): void => start(null);
  const forget = (): void => {
    navigate('/');
    forgetBusiness(business._id);
    showNotice(texts.removed);
  };
  return (
    <>
      {mayChange && (
        <Button icon="edit" onClick={() => start('EDIT')}>
          {common.edit}
        </Button>
      )}
      {mayRemove && (
        <Button icon="remove" onClick={() => start('REMOVE')}>
          {common.remove}
        </Button>
      )}
      {action === 'EDIT' && <BusinessDialog business={business} onClose={end} />}
      {action === 'REMOVE' && (
        <RemoveDialog
          title={texts.removeTitle(business.name)}
          lead={texts.removeLead}
          remove={() => parley.businesses.delete(business._id)}
          onRemoved={forget}
          onClose={end}
        />
      )}
    </>
  );
}
