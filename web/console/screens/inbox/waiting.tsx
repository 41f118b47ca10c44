/** How long the contact of a conversation has waited for an answer, and when the next target of its SLA is due. */
import type { Conversation } from '@parley/sdk';
import type { ReactElement } from 'react';
import { readSlaState, readTargetState } from '../../records/conversation-filters.ts';
import { SLA_STATES } from '../../texts/conversation-states.ts';
import { formatMoment, formatShortDuration } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Icon } from '../../ui/icon.tsx';
import { MINUTE_MS, useMinute } from '../../ui/minute.ts';
import { INBOX } from './texts.ts';
import styles from './waiting.module.css';

/** Without a target for the answer, the waiting time is amber from here on, and then red. */
const LONG_MINUTES = 30;
const TOO_LONG_MINUTES = 120;

const LEVELS = { DUE_SOON: 'long', BREACHED: 'too-long' } as const;

/** When the answer is due; null without a target. */
const findReplyDue = ({ sla }: Conversation): string | null =>
  sla?.first_reply_due_at ?? sla?.next_reply_due_at ?? null;

function findLevel(conversation: Conversation, minutes: number): string {
  // A conversation that is not closed in time is as late as one that is not answered.
  if (readSlaState(conversation) === 'BREACHED') return LEVELS.BREACHED;
  const due = findReplyDue(conversation);
  if (due !== null) {
    const state = readTargetState(due);
    return state === null ? 'short' : LEVELS[state];
  }
  if (minutes < LONG_MINUTES) return 'short';
  return minutes < TOO_LONG_MINUTES ? 'long' : 'too-long';
}

interface WaitingProps {
  conversation: Conversation;
  since: string;
}

export function Waiting({ conversation, since }: WaitingProps): ReactElement {
  const texts = useTexts(INBOX);
  const states = useTexts(SLA_STATES);
  const minutes = Math.max(0, Math.floor((useMinute() - Date.parse(since)) / MINUTE_MS));
  const due = findReplyDue(conversation);
  const about = [
    texts.waitingSince(formatMoment(since)),
    due !== null && texts.answerDue(formatMoment(due)),
    readSlaState(conversation) === 'BREACHED' && states.BREACHED,
  ];
  return (
    <span
      className={styles['waiting']}
      data-level={findLevel(conversation, minutes)}
      title={about.filter(Boolean).join(' · ')}
    >
      <Icon name="clock" size={12} />
      <span className="unseen">{texts.waiting} </span>
      <time dateTime={since}>{formatShortDuration(minutes)}</time>
    </span>
  );
}

/** When the next target is due, or how long it has been missed. */
export function Due({ conversation }: { conversation: Conversation }): ReactElement | null {
  const texts = useTexts(SLA_STATES);
  const now = useMinute();
  const at = conversation.sla?.due_at ?? null;
  if (at === null) return null;
  const state = readSlaState(conversation);
  const minutes = Math.round((Date.parse(at) - now) / MINUTE_MS);
  // The platform may know of a missed target before a slow clock of this computer does.
  const length = Math.max(0, state === 'BREACHED' ? -minutes : minutes);
  const time = formatShortDuration(length);
  const overdue = length === 0 ? texts.overdue : texts.overdueBy(time);
  return (
    <span className={styles['waiting']} data-level={state === null ? 'short' : LEVELS[state]} title={formatMoment(at)}>
      <Icon name="clock" size={12} />
      <time dateTime={at}>{state === 'BREACHED' ? overdue : texts.dueIn(time)}</time>
    </span>
  );
}
