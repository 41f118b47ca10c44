/** The follow-ups of a conversation: what is scheduled and when, what was sent, and why something was not. */
import type { Conversation, FollowUp } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import type { FeedView } from '../../../records/feeds.ts';
import { cancelFollowUp, useFollowUps } from '../../../records/follow-ups.ts';
import { useMay } from '../../../session/session.ts';
import { formatMoment } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmButton } from '../../../ui/confirm-button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { COMMON } from '../../../ui/texts.ts';
import { showError } from '../../../ui/toast.tsx';
import barStyles from './agent-bar.module.css';
import { CANCEL_REASONS, FOLLOW_UP_STATES, FOLLOW_UPS } from './follow-up-texts.ts';
import { findReturn } from '../../../frame/writing.ts';
import styles from './follow-ups.module.css';

interface FollowUpsLinkProps {
  conversation: Conversation;
}

/** Says when the agent writes again, and opens the list; nothing where there are no follow-ups. */
export function FollowUpsLink({ conversation }: FollowUpsLinkProps): ReactElement | null {
  return useMay('agents:read') ? <Link key={conversation._id} conversation={conversation} /> : null;
}

function Link({ conversation }: FollowUpsLinkProps): ReactElement | null {
  const texts = useTexts(FOLLOW_UPS);
  const feed = useFollowUps(conversation);
  const [isOpen, open] = useState(false);
  if (feed.items.length === 0) return null;
  const next = feed.items.find(({ status }) => status === 'SCHEDULED');
  return (
    <>
      <button type="button" className={barStyles['reason']} onClick={() => open(true)}>
        {next ? texts.next(formatMoment(next.scheduled_at)) : texts.title}
      </button>
      {isOpen && <FollowUpsDialog feed={feed} onClose={() => open(false)} />}
    </>
  );
}

function FollowUpsDialog({ feed, onClose }: { feed: FeedView<FollowUp>; onClose(): void }): ReactElement {
  const texts = useTexts(FOLLOW_UPS);
  const common = useTexts(COMMON);
  return (
    <Dialog title={texts.title} onClose={onClose} finalFocus={findReturn}>
      <ul className={styles['list']} aria-label={texts.title}>
        {feed.items.map((followUp) => (
          <Item key={followUp._id} followUp={followUp} />
        ))}
      </ul>
      {feed.hasMore && (
        <div>
          <Button isBusy={feed.isLoadingMore} onClick={feed.loadMore}>
            {common.loadMore}
          </Button>
        </div>
      )}
    </Dialog>
  );
}

const TONES: Record<FollowUp['status'], Tone> = {
  SCHEDULED: 'warning',
  SENT: 'good',
  CANCELLED: 'plain',
  FAILED: 'danger',
};

function Item({ followUp }: { followUp: FollowUp }): ReactElement {
  const states = useTexts(FOLLOW_UP_STATES);
  const { status, content, scheduled_at, sent_at, updatedAt } = followUp;
  const at = status === 'SCHEDULED' ? scheduled_at : (sent_at ?? updatedAt);
  return (
    <li className={styles['item']}>
      <p className={styles['head']}>
        <Badge tone={TONES[status]}>{states[status]}</Badge>
        <time dateTime={at}>{formatMoment(at)}</time>
      </p>
      <p className={styles['content']} dir="auto">
        {content}
      </p>
      <Cause followUp={followUp} />
      <CancelButton followUp={followUp} />
    </li>
  );
}

/** Why a follow-up was not sent. */
function Cause({ followUp: { status, cancel_reason, message } }: { followUp: FollowUp }): ReactElement | null {
  const texts = useTexts(FOLLOW_UPS);
  const reasons = useTexts(CANCEL_REASONS);
  if (status === 'FAILED') return <p>{message === null ? texts.refused : texts.notTaken}</p>;
  if (status === 'SCHEDULED' && message !== null) return <p>{texts.leaving}</p>;
  return cancel_reason === null ? null : <p>{reasons[cancel_reason]}</p>;
}

function CancelButton({ followUp }: { followUp: FollowUp }): ReactElement | null {
  const texts = useTexts(FOLLOW_UPS);
  const may = useMay('agents:update');
  const cancelling = useMutation({ mutationFn: cancelFollowUp, onError: showError });
  // One that is on its way cannot be held back any more.
  if (!may || followUp.status !== 'SCHEDULED' || followUp.message !== null) return null;
  return (
    <div className={styles['cancel']}>
      <ConfirmButton
        label={texts.cancel}
        question={texts.reallyCancel}
        meaning={texts.cancelMeaning}
        icon="close"
        isBusy={cancelling.isPending}
        onConfirm={() => cancelling.mutate(followUp)}
      />
    </div>
  );
}
