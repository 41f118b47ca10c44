/** Connects a channel step by step: what to set at the network, what to copy from there, and whether it works. */
import type { Inbox } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { Link, useLocation } from 'wouter';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { COMMON } from '../../ui/texts.ts';
import { NewAccount } from './account/new-account.tsx';
import { ACCOUNT } from './account/texts.ts';
import { hasCredentials } from './connection.tsx';
import { ChannelForm } from './channel-form.tsx';
import { ConnectionCheck } from './connection-check.tsx';
import { GATEWAY } from './gateway/texts.ts';
import { MAILBOX } from './mailbox/texts.ts';
import { NetworkGuide } from './network-guide.tsx';
import styles from './inboxes.module.css';
import { INBOXES } from './texts.ts';
import { NewWebChat } from './web-chat/new-web-chat.tsx';
import { WEB_CHAT } from './web-chat/texts.ts';

type Channel = Inbox['channel'];

export function ConnectInbox({ onClose }: { onClose(): void }): ReactElement {
  const texts = useTexts(INBOXES);
  const [, go] = useLocation();
  // Null while the kind of the inbox is chosen.
  const [channel, choose] = useState<Channel | null>(null);
  const [inbox, setInbox] = useState<Inbox | null>(null);
  const [isSaved, markSaved] = useState(false);
  // What has to be set at the network first.
  const [isRead, markRead] = useState(false);
  if (channel === null) return <ChooseChannel onChosen={choose} onClose={onClose} />;
  const goBack = (): void => choose(null);
  if (channel === 'WAP_AUTO_CLOSER' && !isRead)
    return <GuideDialog onBack={goBack} onNext={() => markRead(true)} onClose={onClose} />;
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
      onBack={channel === 'WAP_AUTO_CLOSER' ? () => markRead(false) : goBack}
      onSaved={check}
      onClose={onClose}
    />
  );
}

interface ChannelOffer {
  channel: Channel;
  icon: IconName;
  title: string;
  about: string;
}

function useOffers(): ChannelOffer[] {
  const texts = useTexts(INBOXES);
  const webChat = useTexts(WEB_CHAT);
  const mailbox = useTexts(MAILBOX);
  const gateway = useTexts(GATEWAY);
  const account = useTexts(ACCOUNT);
  return [
    { channel: 'WAP_AUTO_CLOSER', icon: 'phone', title: texts.offer, about: texts.offerAbout },
    { channel: 'PARTNER_API', icon: 'channel', title: gateway.offer, about: gateway.offerAbout },
    { channel: 'WEB_V2', icon: 'inbox', title: webChat.offer, about: webChat.offerAbout },
    { channel: 'EMAIL', icon: 'send', title: mailbox.offer, about: mailbox.offerAbout },
    { channel: 'PROFESSIONAL_NETWORK', icon: 'person', title: account.offer, about: account.offerAbout },
  ];
}

function ChooseChannel({ onChosen, onClose }: { onChosen(channel: Channel): void; onClose(): void }): ReactElement {
  const texts = useTexts(INBOXES);
  return (
    <Dialog title={texts.connect} onClose={onClose}>
      <p>{texts.chooseKind}</p>
      <ul className={styles['offers']}>
        {useOffers().map(({ channel, icon, title, about }) => (
          <li key={channel}>
            <button type="button" className={styles['offer']} onClick={() => onChosen(channel)}>
              <Icon name={icon} size={22} />
              <span>
                <strong>{title}</strong>
                <span className={styles['hint']}>{about}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

interface GuideDialogProps {
  onBack(): void;
  onNext(): void;
  onClose(): void;
}

/** Explains what has to be done for the Cloud API. */
function GuideDialog({ onBack, onNext, onClose }: GuideDialogProps): ReactElement {
  const texts = useTexts(INBOXES);
  const common = useTexts(COMMON);
  return (
    <Dialog
      title={texts.stepNetwork}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onBack}>{common.back}</Button>
          <Button kind="primary" icon="forward" onClick={onNext}>
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
