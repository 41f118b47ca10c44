/** One inbox: its connection, its settings and its templates. */
import type { Inbox } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useLocation } from 'wouter';
import { parley, toScreen } from '../../client.ts';
import { SCREEN_NAMES } from '../../frame/texts.ts';
import { useMay } from '../../session/session.ts';
import { CHANNEL_NAMES } from '../../texts/channels.ts';
import { formatMoment } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Details } from '../../ui/details.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { showError } from '../../ui/toast.tsx';
import { LogIn } from './account/log-in.tsx';
import { ACCOUNT } from './account/texts.ts';
import { hasCredentials, lacksPhone, nameAddress, StateBadge, useCause } from './connection.tsx';
import { ChangeCredentials } from './change-credentials.tsx';
import { GATEWAY } from './gateway/texts.ts';
import { PairPhone } from './gateway/pair-phone.tsx';
import { HealthCard } from './health/health-card.tsx';
import { PhoneHistory } from './history/phone-history.tsx';
import { showInbox } from '../../records/inboxes.ts';
import styles from './inboxes.module.css';
import { DkimCard } from './mailbox/dkim-card.tsx';
import { PushCard } from './mailbox/push-card.tsx';
import { MAILBOX } from './mailbox/texts.ts';
import { SettingsForm } from './settings-form.tsx';
import { CREDENTIALS, INBOXES } from './texts.ts';
import { WebChatForm } from './web-chat/web-chat-form.tsx';

export function InboxPage({ inbox }: { inbox: Inbox }): ReactElement {
  const texts = useTexts(INBOXES);
  const names = useTexts(SCREEN_NAMES);
  const [, go] = useLocation();
  const { name, channel } = inbox;
  const address = nameAddress(inbox);
  return (
    <Page
      title={name}
      lead={address === '' ? CHANNEL_NAMES[channel] : `${CHANNEL_NAMES[channel]} · ${address}`}
      actions={
        <>
          <Button icon="back" onClick={() => go('/')}>
            {texts.toList}
          </Button>
          {inbox.has_templates && (
            <Button icon="template" onClick={() => go(toScreen(`/templates?inbox=${inbox._id}`))}>
              {names.templates}
            </Button>
          )}
          <CloseButton inbox={inbox} />
        </>
      }
    >
      <ConnectionCard inbox={inbox} />
      {inbox.status === 'ACTIVE' && <HealthCard inbox={inbox} />}
      {inbox.web_config && <WebChatForm inbox={inbox} config={inbox.web_config} />}
      {inbox.email_config && inbox.status === 'ACTIVE' && (
        <>
          <PushCard inbox={inbox} config={inbox.email_config} />
          <DkimCard inbox={inbox} config={inbox.email_config} />
        </>
      )}
      <SettingsForm inbox={inbox} />
    </Page>
  );
}

/** Closes an inbox after a second press, or opens a closed one again. */
function CloseButton({ inbox: { _id, status } }: { inbox: Inbox }): ReactElement | null {
  const texts = useTexts(INBOXES);
  const may = useMay('inboxes:update');
  const change = useMutation({
    mutationFn: (next: Inbox['status']) => parley.inboxes.update(_id, { status: next }),
    onSuccess: showInbox,
    onError: showError,
  });
  if (!may) return null;
  if (status === 'DELETED') {
    return (
      <Button icon="refresh" isBusy={change.isPending} onClick={() => change.mutate('ACTIVE')}>
        {texts.restore}
      </Button>
    );
  }
  return (
    <ConfirmButton
      label={texts.close}
      question={texts.reallyClose}
      isBusy={change.isPending}
      onConfirm={() => change.mutate('DELETED')}
    />
  );
}

function ConnectionCard({ inbox }: { inbox: Inbox }): ReactElement {
  const texts = useTexts(INBOXES);
  const credentials = useTexts(CREDENTIALS);
  const explain = useCause();
  const may = useMay('inboxes:update');
  const [isOpen, open] = useState(false);
  const mailbox = useTexts(MAILBOX);
  const { connection, api_wap_config: config, email_config: mails, partner_api_config: instance } = inbox;
  const gateway = useTexts(GATEWAY);
  const account = useTexts(ACCOUNT);
  const person = inbox.professional_network_config;
  return (
    <Card title={texts.connection}>
      <p>
        <StateBadge inbox={inbox} /> {explain(inbox)}
      </p>
      <Details
        layout="lines"
        items={[
          connection.checked_at !== null && [texts.checkedAt, formatMoment(connection.checked_at)],
          config !== undefined && [credentials.phone_number_id, <code>{config.phone_number_id}</code>],
          config !== undefined && [credentials.waba_id, <code>{config.waba_id}</code>],
          config !== undefined && [credentials.business_id, <code>{config.business_id}</code>],
          instance !== undefined && [gateway.base_url, <code>{instance.base_url}</code>],
          instance !== undefined && [gateway.instance_name, <code>{instance.instance_name}</code>],
          person?.display_name !== undefined && [account.account, person.display_name],
          person?.profile_url !== undefined && [account.profile, person.profile_url],
          typeof mails?.imap_url === 'string' && [mailbox.imap_url, <code>{mails.imap_url}</code>],
          mails !== undefined && [mailbox.smtp_url, <code>{mails.smtp_url}</code>],
        ]}
      />
      {inbox.history !== null && <PhoneHistory history={inbox.history} />}
      {may && <LogIn inbox={inbox} />}
      {may && hasCredentials(inbox) && inbox.status === 'ACTIVE' && (
        <div className={styles['actions']}>
          <Button icon="edit" onClick={() => open(true)}>
            {texts.changeCredentials}
          </Button>
          {lacksPhone(inbox) && <PairPhone inbox={inbox._id} />}
        </div>
      )}
      {isOpen && <ChangeCredentials inbox={inbox} onClose={() => open(false)} />}
    </Card>
  );
}
