/** Merges a conversation into another one of the contact: shows these, says what happens, and opens the one that stays. */
import type { Conversation } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { useLocation } from 'wouter';
import { endMerging, isMerging, useMerging } from '../../../frame/merging.ts';
import { findReturn } from '../../../frame/writing.ts';
import { endPresence } from '../../../live/presence.ts';
import { forgetConversation, mergeConversation } from '../../../records/conversations.ts';
import { rereadHistory } from '../../../records/history.ts';
import { noteMerge } from '../../../records/merged.ts';
import { forgetThread, rereadThreads } from '../../../records/messages.ts';
import { rereadScheduled } from '../../../records/scheduled-messages.ts';
import { CHANNEL_NAMES } from '../../../texts/channels.ts';
import { STATUS_NAMES } from '../../../texts/conversation-states.ts';
import { formatShort } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { LastMessage } from '../../../ui/preview.tsx';
import { Failure, Loading } from '../../../ui/state.tsx';
import { explainError } from '../../../ui/problem.ts';
import { showErrorOf, showNotice } from '../../../ui/toast.tsx';
import { findCandidates, type Candidate } from './candidates.ts';
import styles from './merge-dialog.module.css';
import { MERGE } from './texts.ts';

export function MergeDialog(): ReactElement | null {
  const conversation = useMerging();
  return conversation && <Merge key={conversation._id} conversation={conversation} />;
}

function Merge({ conversation }: { conversation: Conversation }): ReactElement {
  const texts = useTexts(MERGE);
  const [into, choose] = useState<Candidate | null>(null);
  const {
    data: found,
    error,
    refetch,
  } = useQuery({
    queryKey: ['merge-candidates', conversation._id],
    queryFn: ({ signal }) => findCandidates(conversation, signal),
    gcTime: 0,
  });
  if (into) return <Question from={conversation} into={into} onBack={() => choose(null)} />;
  return (
    <Dialog title={texts.title} width="wide" onClose={endMerging} finalFocus={findReturn}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!found && !error && <Loading />}
      {found && <p>{found.length === 0 ? texts.none : texts.which}</p>}
      {found && found.length > 0 && (
        <ul className={styles['found']}>
          {found.map((candidate) => (
            <li key={candidate._id}>
              <button type="button" className={styles['candidate']} onClick={() => choose(candidate)}>
                <About {...candidate} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}

/** What distinguishes a conversation: its subject, its last message, and its channel, status and date. */
function About({ conversation, subject }: Candidate): ReactElement {
  const texts = useTexts(MERGE);
  const states = useTexts(STATUS_NAMES);
  const { channel, status, last_message, last_message_at, createdAt } = conversation;
  const facts = [CHANNEL_NAMES[channel], states[status], formatShort(last_message_at ?? createdAt)];
  return (
    <>
      {subject && (
        <strong className={styles['line']} dir="auto">
          {subject}
        </strong>
      )}
      <span className={styles['line']} dir="auto">
        {last_message ? <LastMessage conversation={conversation} /> : texts.noMessage}
      </span>
      <span className={styles['facts']}>{facts.join(' · ')}</span>
    </>
  );
}

interface QuestionProps {
  from: Conversation;
  into: Candidate;
  onBack(): void;
}

function Question({ from, into, onBack }: QuestionProps): ReactElement {
  const texts = useTexts(MERGE);
  const [location, navigate] = useLocation();
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => void (isShown.current = false);
  }, []);
  const finish = (): void => {
    noteMerge(from._id, into._id);
    endPresence(from._id);
    if (isMerging(from._id)) endMerging();
    // The address of the conversation differs in its end only, so the view stays. Meanwhile the user may have opened another conversation.
    if (window.location.pathname.endsWith(from._id)) navigate(location.replace(from._id, into._id), { replace: true });
    forgetConversation(from._id);
    forgetThread(from._id);
    rereadThreads();
    rereadHistory();
    rereadScheduled();
    showNotice(texts.merged);
  };
  const merge = (): Promise<void> =>
    mergeConversation(from._id, into._id).catch((error: unknown) => {
      // A question that was left meanwhile cannot show it.
      if (!isShown.current) showErrorOf(from._id, explainError(error));
      throw error;
    });
  return (
    <ConfirmDialog
      title={texts.confirmTitle}
      lead={
        <div className={styles['lead']}>
          <p className={styles['into']}>
            <About {...into} />
          </p>
          <p>{texts.moves}</p>
          <p>{texts.status}</p>
          <p>{texts.removed}</p>
        </div>
      }
      action={texts.merge}
      isDangerous
      act={merge}
      onDone={finish}
      onClose={onBack}
      // When the user goes back, the dialog with the choice takes the focus itself.
      finalFocus={() => !isMerging() && findReturn()}
    />
  );
}
