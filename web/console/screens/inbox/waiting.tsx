/** How long the contact of a conversation has waited for an answer, and when the next target of its SLA is due. */
import type { Conversation } from '@parley/sdk';
import type { ReactElement } from 'react';
import { readSlaState, readTargetState, type SlaState } from '../../records/conversation-filters.ts';
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
  const { now, state, due } = useDue(conversation);
  const minutes = Math.max(0, Math.floor((now - Date.parse(since)) / MINUTE_MS));
  const replyDue = findReplyDue(conversation);
  const about = [
    texts.waitingSince(formatMoment(since)),
    due,
    replyDue !== null && texts.answerDue(formatMoment(replyDue)),
  ];
  return (
    <span
      className={styles['waiting']}
      data-level={findLevel(conversation, minutes)}
      title={about.filter(Boolean).join(' · ')}
    >
      <Icon name={state === 'BREACHED' ? 'warning' : 'clock'} size={12} />
      <span className="unseen">{texts.waiting} </span>
      <time dateTime={since}>{formatShortDuration(minutes)}</time>
      {due !== null && <span className="unseen">, {due}</span>}
    </span>
  );
}

/** When the next target is due, or how long it has been missed. */
export function Due({ conversation }: { conversation: Conversation }): ReactElement | null {
  const { at, state, due } = useDue(conversation);
  if (at === null) return null;
  return (
    <span className={styles['waiting']} data-level={state === null ? 'short' : LEVELS[state]} title={formatMoment(at)}>
      <Icon name={state === 'BREACHED' ? 'warning' : 'clock'} size={12} />
      <time dateTime={at}>{due}</time>
    </span>
  );
}

interface NextTarget {
  now: number;
  /** When it is due; null without a target. */
  at: string | null;
  state: SlaState | null;
  /** The same in words, with the minutes that are left in full or that it has been missed for. */
  due: string | null;
}

function useDue(conversation: Conversation): NextTarget {
  const texts = useTexts(SLA_STATES);
  const at = conversation.sla?.due_at ?? null;
  const now = useMinute(at === null ? 0 : Date.parse(at));
  const state = readSlaState(conversation);
  if (at === null) return { now, at, state, due: null };
  const left = (Date.parse(at) - now) / MINUTE_MS;
  // The platform may know of a missed target before a slow clock of this computer does.
  const length = Math.max(0, state === 'BREACHED' ? Math.floor(-left) : Math.ceil(left) - 1);
  const time = formatShortDuration(length);
  if (state === 'BREACHED') return { now, at, state, due: length === 0 ? texts.overdue : texts.overdueBy(time) };
  return { now, at, state, due: length === 0 ? texts.dueNow : texts.dueIn(time) };
}
