/** Connects a channel step by step: what to set at the network, what to copy from there, and whether it works. */
import type { Inbox } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { Link, useLocation } from 'wouter';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { COMMON } from '../../ui/texts.ts';
import { NewAccount } from './account/new-account.tsx';
import { ACCOUNT } from './account/texts.ts';
import { hasCredentials } from './connection.tsx';
import { ChannelForm } from './channel-form.tsx';
import { ConnectionCheck } from './connection-check.tsx';
import { GATEWAY } from './gateway/texts.ts';
import { MAILBOX } from './mailbox/texts.ts';
import { NetworkGuide } from './network-guide.tsx';
import { INBOXES } from './texts.ts';
import { NewWebChat } from './web-chat/new-web-chat.tsx';
import { WEB_CHAT } from './web-chat/texts.ts';

type Channel = Inbox['channel'];

export function ConnectInbox({ onClose }: { onClose(): void }): ReactElement {
  const texts = useTexts(INBOXES);
  const [, go] = useLocation();
  // Null while the channel is chosen.
  const [channel, choose] = useState<Channel | null>(null);
  const [inbox, setInbox] = useState<Inbox | null>(null);
  const [isSaved, markSaved] = useState(false);
  if (channel === null) return <ChooseChannel onChosen={choose} onClose={onClose} />;
  const goBack = (): void => choose(null);
  const check = (saved: Inbox): void => {
    setInbox(saved);
    markSaved(true);
  };
  if (channel === 'WEB_V2') {
    const show = ({ _id }: Inbox): void => go(`/${_id}`);
    return <NewWebChat onBack={goBack} onCreated={show} onClose={onClose} />;
  }
  if (channel === 'PROFESSIONAL_NETWORK' && !inbox)
    return <NewAccount onBack={goBack} onCreated={check} onClose={onClose} />;
  if (isSaved && inbox) return <CheckDialog inbox={inbox} onChange={() => markSaved(false)} onClose={onClose} />;
  return (
    <ChannelForm
      channel={channel}
      title={texts.stepCredentials}
      inbox={inbox?.channel === channel ? inbox : null}
      onBack={goBack}
      onSaved={check}
      onClose={onClose}
    />
  );
}

/** Explains what has to be done for the Cloud API, and offers the other channels. */
function ChooseChannel({ onChosen, onClose }: { onChosen(channel: Channel): void; onClose(): void }): ReactElement {
  const texts = useTexts(INBOXES);
  const common = useTexts(COMMON);
  const webChat = useTexts(WEB_CHAT);
  const mailbox = useTexts(MAILBOX);
  const gateway = useTexts(GATEWAY);
  const account = useTexts(ACCOUNT);
  return (
    <Dialog
      title={texts.stepNetwork}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button icon="inbox" onClick={() => onChosen('EMAIL')}>
            {mailbox.offer}
          </Button>
          <Button icon="person" onClick={() => onChosen('PROFESSIONAL_NETWORK')}>
            {account.offer}
          </Button>
          <Button icon="channel" onClick={() => onChosen('PARTNER_API')}>
            {gateway.offer}
          </Button>
          <Button icon="channel" onClick={() => onChosen('WEB_V2')}>
            {webChat.offer}
          </Button>
          <Button kind="primary" icon="forward" onClick={() => onChosen('WAP_AUTO_CLOSER')}>
            {texts.next}
          </Button>
        </>
      }
    >
      <NetworkGuide />
    </Dialog>
  );
}

interface CheckDialogProps {
  inbox: Inbox;
  /** Leads back to the data. */
  onChange(): void;
  onClose(): void;
}

function CheckDialog({ inbox, onChange, onClose }: CheckDialogProps): ReactElement {
  const texts = useTexts(INBOXES);
  const mailbox = useTexts(MAILBOX);
  const gateway = useTexts(GATEWAY);
  const account = useTexts(ACCOUNT);
  const titles: Partial<Record<Channel, string>> = {
    EMAIL: mailbox.checkTitle,
    PARTNER_API: gateway.checkTitle,
    PROFESSIONAL_NETWORK: account.checkTitle,
  };
  return (
    <Dialog
      title={titles[inbox.channel] ?? texts.stepCheck}
      onClose={onClose}
      actions={
        <>
          {hasCredentials(inbox) && <Button onClick={onChange}>{texts.changeCredentials}</Button>}
          <Link href={`/${inbox._id}`}>{texts.toSettings}</Link>
          <Button kind="primary" onClick={onClose}>
            {texts.finish}
          </Button>
        </>
      }
    >
      <ConnectionCheck id={inbox._id} />
    </Dialog>
  );
}
