/** The line between messages that says what happened to the conversation, who did it, and when. */
import type { HistoryEntry } from '@parley/sdk';
import type { ReactElement } from 'react';
import { PRIORITIES } from '../../../texts/conversation-states.ts';
import { formatMoment, formatTime } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { HISTORY } from './history-texts.ts';
import styles from './message.module.css';

type Change = HistoryEntry['changes'][number];
type Texts = (typeof HISTORY)['en'];

export function HistoryLine({ entry }: { entry: HistoryEntry }): ReactElement {
  const texts = useTexts(HISTORY);
  const { actor, changes, createdAt } = entry;
  const parts = changes.map((change) => describeChange(texts, change, changes)).filter((part) => part !== null);
  return (
    <p className={styles['system']}>
      {parts.join(' · ')}
      {actor && ` · ${texts.by(texts[actor.type](actor.name))}`}
      {' · '}
      <time dateTime={createdAt} title={formatMoment(createdAt)}>
        {formatTime(createdAt)}
      </time>
    </p>
  );
}

/** Says what one change was; null when another change of the same entry says so already. */
function describeChange(texts: Texts, change: Change, all: readonly Change[]): string | null {
  const { field, from, to } = change;
  const before = change.from_name ?? texts.gone;
  const after = change.to_name ?? texts.gone;
  switch (field) {
    case 'status':
      return describeStatus(texts, change, all);
    case 'snoozed_until':
      return all.some((other) => other.field === 'status') || to === null ? null : texts.asideUntil(formatMoment(to));
    case 'priority':
      return describePriority(texts, to);
    case 'owner':
      return to === null ? texts.unassigned(before) : texts.assigned(after);
    case 'attendant':
      return to === null ? texts.notAttended(before) : texts.attended(after);
    case 'team':
      return to === null ? texts.noTeam(before) : texts.team(after);
    case 'handled_by':
      if (to === 'AI') return texts.agentOn;
      return from === 'AI' ? texts.agentOff : null;
    case 'agent':
      return to === null ? texts.agentRemoved(before) : texts.agentSet(after);
    case 'step':
      return to === null ? texts.noStep(before) : texts.step(after);
    case 'tag':
      return to === null ? texts.tagRemoved(from ?? '') : texts.tagAdded(to);
    case 'merged':
      return texts.merged;
  }
}

function describePriority(texts: Texts, to: string | null): string {
  const priority = PRIORITIES.find((each) => each === to);
  return priority === undefined ? texts.noPriority : texts[priority];
}

function describeStatus(texts: Texts, { from, to }: Change, all: readonly Change[]): string {
  if (to === 'CLOSED') return texts.closed;
  if (to === 'PENDING') return texts.pending;
  if (to !== 'SNOOZED') return from === 'SNOOZED' ? texts.back : texts.opened;
  const until = all.find(({ field }) => field === 'snoozed_until')?.to;
  return until ? texts.asideUntil(formatMoment(until)) : texts.asideUntilWritten;
}
