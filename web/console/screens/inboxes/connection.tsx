/** Whether the network accepts an inbox, in a word and in a sentence. */
import type { Inbox } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { ACCOUNT } from './account/texts.ts';
import { CAUSES, INBOXES, type InboxState } from './texts.ts';

const TONES: Record<InboxState, Tone> = {
  CONNECTED: 'good',
  PENDING: 'warning',
  UNREACHABLE: 'danger',
  LOG_IN: 'warning',
  ERROR: 'danger',
  LOW_QUALITY: 'danger',
  LIMITED: 'warning',
  BLOCKED: 'danger',
  DELETED: 'plain',
};

/** Channels whose inboxes have a form for their connection. A web chat runs on the platform itself, and an account comes from a log-in. */
const WITH_CREDENTIALS: readonly Inbox['channel'][] = ['WAP_AUTO_CLOSER', 'PARTNER_API', 'EMAIL'];

export const hasCredentials = ({ channel }: Inbox): boolean => WITH_CREDENTIALS.includes(channel);

/** True for an inbox with which a phone is paired, while none is. */
export const lacksPhone = ({ channel, status, connection }: Inbox): boolean =>
  channel === 'PARTNER_API' && status === 'ACTIVE' && connection.status !== 'CONNECTED';

/** True for an inbox with whose account somebody has to log in at the network, for the first time or once more. */
export const lacksLogIn = ({ channel, status, connection }: Inbox): boolean =>
  channel === 'PROFESSIONAL_NETWORK' && status === 'ACTIVE' && connection.status !== 'CONNECTED';

/** Templates behind a gateway are made and removed at the network itself. */
export const editsTemplates = ({ channel }: Inbox): boolean => channel !== 'PARTNER_API';

/** The number, the mail address or the account of an inbox; empty on channels without any of them. */
export const nameAddress = ({ number, email_config, professional_network_config: account }: Inbox): string =>
  email_config?.address ?? account?.display_name ?? account?.public_identifier ?? number;

/** An inbox that the network has accepted can still need attention: the network restricts it, or its recipients complain. */
function findState({ status, channel, connection, standing, professional_network_config: account }: Inbox): InboxState {
  if (status === 'DELETED') return 'DELETED';
  // An inbox without an account has nothing that the network could have checked.
  if (channel === 'PROFESSIONAL_NETWORK' && connection.status === 'PENDING' && !account) return 'LOG_IN';
  // On other channels, a check that has to be repeated may also wait for a phone or an account.
  if (channel === 'EMAIL' && connection.status === 'PENDING' && connection.error !== null) return 'UNREACHABLE';
  if (connection.status !== 'CONNECTED') return connection.status;
  const { sending, quality_rating } = standing ?? {};
  if (sending === 'LIMITED' || sending === 'BLOCKED') return sending;
  return quality_rating === 'RED' ? 'LOW_QUALITY' : 'CONNECTED';
}

export function StateBadge({ inbox }: { inbox: Inbox }): ReactElement {
  const texts = useTexts(INBOXES);
  const state = findState(inbox);
  return <Badge tone={TONES[state]}>{texts[state]}</Badge>;
}

/** Returns what the state of an inbox means, with the network's own words where it has given any. */
export function useCause(): (inbox: Inbox) => string {
  const causes = useTexts(CAUSES);
  const account = useTexts(ACCOUNT);
  return (inbox) => {
    const state = findState(inbox);
    if (state === 'CONNECTED' && inbox.channel === 'WEB_V2') return causes.WEB_CHAT;
    const { error } = inbox.connection;
    const cause = lacksLogIn(inbox) && state === 'ERROR' ? account.error : causes[state];
    return error === null ? cause : `${cause} ${error}`;
  };
}
