/** Whether the network accepts an inbox, in a word and in a sentence. */
import type { Inbox } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { CAUSES, INBOXES } from './texts.ts';

type State = Inbox['connection']['status'] | 'DELETED' | 'NOT_YET';

const TONES: Record<State, Tone> = {
  CONNECTED: 'good',
  PENDING: 'warning',
  ERROR: 'danger',
  DELETED: 'plain',
  NOT_YET: 'plain',
};

/** The channels that the platform connects to a network today. Inboxes of the others neither send nor receive. */
const OFFERED: readonly Inbox['channel'][] = ['WAP_AUTO_CLOSER', 'WEB_V2', 'PARTNER_API', 'EMAIL'];

/** A web chat runs on the platform itself, so there are no credentials and nothing to check. */
export const hasNetwork = ({ channel }: Inbox): boolean => OFFERED.includes(channel) && channel !== 'WEB_V2';

/** True for an inbox with which a phone is paired, while none is. */
export const lacksPhone = ({ channel, status, connection }: Inbox): boolean =>
  channel === 'PARTNER_API' && status === 'ACTIVE' && connection.status !== 'CONNECTED';

export const hasTemplates = ({ channel }: Inbox): boolean => channel === 'WAP_AUTO_CLOSER';

/** The number or the mail address of an inbox; empty on channels without either. */
export const nameAddress = ({ number, email_config }: Inbox): string => email_config?.address ?? number;

function findState({ status, channel, connection }: Inbox): State {
  if (status === 'DELETED') return 'DELETED';
  return OFFERED.includes(channel) ? connection.status : 'NOT_YET';
}

export function StateBadge({ inbox }: { inbox: Inbox }): ReactElement {
  const texts = useTexts(INBOXES);
  const state = findState(inbox);
  return <Badge tone={TONES[state]}>{texts[state]}</Badge>;
}

/** Returns what the state of an inbox means, with the network's own words where it has given any. */
export function useCause(): (inbox: Inbox) => string {
  const causes = useTexts(CAUSES);
  return (inbox) => {
    const state = findState(inbox);
    if (state === 'CONNECTED' && !hasNetwork(inbox)) return causes.WEB_CHAT;
    const { error } = inbox.connection;
    const isTrouble = state === 'PENDING' || state === 'ERROR';
    return isTrouble && error !== null ? `${causes[state]} ${error}` : causes[state];
  };
}
