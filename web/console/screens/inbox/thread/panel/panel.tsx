/** The details of a contact and its conversation. */
import type { Contact, Conversation } from '@parley/sdk';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { toScreen } from '../../../../client.ts';
import { isTyping } from '../../../../frame/writing.ts';
import { NOTIFICATIONS } from '../../../../notifications/texts.ts';
import { useMay } from '../../../../session/session.ts';
import { useTexts } from '../../../../texts/texts.ts';
import { Avatar } from '../../../../ui/avatar.tsx';
import { IconButton } from '../../../../ui/button.tsx';
import { ChannelMark } from '../../../../ui/channel-mark.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { THREAD } from '../texts.ts';
import { AboutContact } from './about.tsx';
import { Campaigns } from './campaigns.tsx';
import { Fields } from './fields.tsx';
import { Files } from './files.tsx';
import { Followers } from './followers.tsx';
import { LookUps } from './look-ups.tsx';
import { Notes } from './notes.tsx';
import { Origin } from './origin.tsx';
import { Others } from './others.tsx';
import styles from './panel.module.css';
import { Section } from './section.tsx';
import { TableRows } from './table-rows.tsx';
import { Tags } from './tags.tsx';
import { PANEL } from './texts.ts';

export interface PanelProps {
  conversation: Conversation;
  contact: Contact | null;
  name: string;
  view: string;
  onClose(): void;
  /** Whether the panel is next to the messages; otherwise it covers them. */
  isBeside: boolean;
}

export function Panel({ conversation, contact, name, view, onClose, isBeside }: PanelProps): ReactElement {
  const texts = useTexts(THREAD);
  const maySeeCampaigns = useMay('campaigns:read');
  return (
    <aside
      className={styles['details']}
      aria-label={texts.details}
      onKeyDown={(event) => event.key === 'Escape' && !isBeside && !isTyping(event.nativeEvent) && onClose()}
    >
      <Head {...{ conversation, contact, name, onClose }} />
      {contact && <AboutContact contact={contact} />}
      {conversation.campaign !== null && maySeeCampaigns && (
        <p className={styles['section']}>
          <Link href={toScreen(`/campaigns/${conversation.campaign}`)}>{texts.toCampaign}</Link>
        </p>
      )}
      <Fields key={conversation._id} conversation={conversation} />
      <Tags conversation={conversation} />
      <Sections {...{ conversation, contact, view }} />
    </aside>
  );
}

function Head({
  conversation,
  contact,
  name,
  onClose,
}: Pick<PanelProps, 'conversation' | 'contact' | 'name' | 'onClose'>): ReactElement {
  const texts = useTexts(PANEL);
  return (
    <header className={styles['head']}>
      <ChannelMark channel={conversation.channel}>
        <Avatar name={name} />
      </ChannelMark>
      <h2 dir="auto">{name}</h2>
      {contact && (
        <Link
          href={toScreen(`/contacts/${contact._id}`)}
          className={styles['open']}
          aria-label={texts.openContact}
          title={texts.openContact}
        >
          <Icon name="link" />
        </Link>
      )}
      <IconButton icon="close" label={texts.close} onClick={onClose} />
    </header>
  );
}

function Sections({
  conversation,
  contact,
  view,
}: Pick<PanelProps, 'conversation' | 'contact' | 'view'>): ReactElement {
  const texts = useTexts(PANEL);
  const thread = useTexts(THREAD);
  const { followers } = useTexts(NOTIFICATIONS);
  const [mayTables, mayEnrollments] = [useMay('tables:read'), useMay('campaign-enrollments:read')];
  const maySeeServers = useMay('agents:read');
  return (
    <>
      {contact && mayTables && (
        <Section name="rows" title={texts.rows}>
          <TableRows contact={contact._id} />
        </Section>
      )}
      {contact && maySeeServers && <LookUps contact={contact._id} />}
      {contact && (
        <Section name="notes" title={texts.notes} isOpenAtFirst>
          <Notes contact={contact._id} />
        </Section>
      )}
      <Section name="others" title={thread.otherConversations} isOpenAtFirst>
        <Others conversation={conversation} view={view} />
      </Section>
      <Section name="files" title={texts.files}>
        <Files contact={conversation.contact} />
      </Section>
      {mayEnrollments && (
        <Section name="campaigns" title={texts.campaigns}>
          <Campaigns contact={conversation.contact} />
        </Section>
      )}
      {contact && (
        <Section name="origin" title={texts.origin}>
          <Origin key={conversation._id} conversation={conversation} contact={contact} />
        </Section>
      )}
      <Section name="followers" title={followers} isOpenAtFirst>
        <Followers conversation={conversation._id} />
      </Section>
    </>
  );
}
