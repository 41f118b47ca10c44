/** One message: who wrote it, what it says, when, and what became of it. */
import type { Message } from '@parley/sdk';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { toScreen } from '../../../client.ts';
import { useAgents, useUser } from '../../../records/company.ts';
import { isRepeated, useMessage } from '../../../records/messages.ts';
import { useMay, useSession } from '../../../session/session.ts';
import { AUTHOR_NAMES, nameOrigin } from '../../../texts/contents.ts';
import { useExplainFailure } from '../../../texts/failures.ts';
import { formatMoment, formatTime } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Avatar } from '../../../ui/avatar.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Preview } from '../../../ui/preview.tsx';
import { returnToComposer } from '../../../frame/writing.ts';
import { TranslationOf } from '../assist/assist.tsx';
import { INBOX } from '../texts.ts';
import { AgentTurnButton } from './agent-turn-dialog.tsx';
import { MessageContent } from './content.tsx';
import { MailPeople, MailSubject, WholeMailButton } from './mail.tsx';
import styles from './message.module.css';
import { MessageStatus } from './message-status.tsx';
import { MessageTools, openByContext } from './message-tools.tsx';
import { copyContent, post } from './outbox.ts';
import { isRemovable, react } from './reactions.ts';
import type { Reactions } from './rows.ts';
import { SurveyAnswer } from './survey-answer.tsx';
import { THREAD } from './texts.ts';

interface MessageBubbleProps {
  message: Message;
  reactions: Reactions;
  /** The message before is of the same person and minute. */
  follows: boolean;
  contact: string;
  /** Null for a message of an earlier conversation, which is only read. */
  onReply: ((message: Message) => void) | null;
}

export function MessageBubble({ message, reactions, follows, contact, onReply }: MessageBubbleProps): ReactElement {
  const texts = useTexts(THREAD);
  const { message_type, createdAt, edited_at, forwarded, reply_to, revoked_at } = message;
  if (message_type === 'SYSTEM')
    return (
      <p className={styles['system']} dir="auto">
        {message.content}
      </p>
    );
  const isTheirs = message_type === 'INCOMING';
  const side = isTheirs ? '' : styles['ours'];
  const kind = message_type === 'NOTE' ? styles['note'] : message.agent !== null && !isTheirs ? styles['ai'] : '';
  return (
    <article
      className={`${styles['message']} ${side} ${kind}`}
      data-follows={follows}
      onContextMenu={(event) => openByContext(event, { message, reaction: reactions.ours, onReply })}
    >
      <p className={(isTheirs && !message.email?.from) || follows ? 'unseen' : styles['who']}>
        <Sender message={message} contact={contact} />
      </p>
      {forwarded && <p className={styles['who']}>{texts.forwarded}</p>}
      <div className={styles['place']}>
        <MessageTools message={message} reaction={reactions.ours} onReply={onReply} />
        <div className={styles['bubble']}>
          {reply_to !== null && <Quote conversation={message.conversation} id={reply_to} />}
          <MailSubject message={message} />
          <MailPeople message={message} />
          {revoked_at === null ? (
            <>
              <MessageContent message={message} />
              <TranslationOf message={message} />
            </>
          ) : (
            <p className={styles['gone']}>{texts.revoked}</p>
          )}
        </div>
      </div>
      <ReactionMarks message={message} reactions={reactions} isReadOnly={onReply === null} />
      <footer className={styles['foot']}>
        {message.origin === 'AGENT' && <AgentTurnButton message={message} />}
        <WholeMailButton message={message} />
        {edited_at !== null && <span>{texts.edited}</span>}
        <time dateTime={createdAt} title={formatMoment(createdAt)}>
          {formatTime(createdAt)}
        </time>
        {message_type === 'OUTGOING' && <MessageStatus message={message} />}
      </footer>
      {message.origin === 'CSAT' && <SurveyAnswer message={message} />}
      {message.status === 'FAILED' && <Failure message={message} isReadOnly={onReply === null} />}
    </article>
  );
}

interface ReactionMarksProps extends Pick<MessageBubbleProps, 'message' | 'reactions'> {
  isReadOnly: boolean;
}

/** The reactions to a message. A press on that of the company takes it back, if the network allows it. */
function ReactionMarks({ message, reactions, isReadOnly }: ReactionMarksProps): ReactElement | null {
  const texts = useTexts(THREAD);
  const mayWrite = useMay('messages:create');
  const { theirs, ours } = reactions;
  if (theirs === null && ours === null) return null;
  return (
    <p className={styles['reactions']}>
      {theirs !== null && <span className={styles['reaction']}>{theirs}</span>}
      {ours !== null && !isRemovable(message) && <span className={styles['reaction']}>{ours}</span>}
      {ours !== null && isRemovable(message) && (
        <button
          type="button"
          className={styles['reaction']}
          disabled={isReadOnly || !mayWrite}
          title={texts.removeReaction(ours)}
          aria-label={texts.removeReaction(ours)}
          onClick={() => void react(message, null)}
        >
          {ours}
        </button>
      )}
    </p>
  );
}

function Sender({ message, contact }: { message: Message; contact: string }): ReactElement {
  const texts = useTexts(THREAD);
  const authors = useTexts(AUTHOR_NAMES);
  const inbox = useTexts(INBOX);
  const maySeeCampaigns = useMay('campaigns:read');
  const user = useUser(message.sender_type === 'USER' ? message.sender : null);
  const agent = useAgents().find(({ _id }) => _id === message.agent);
  if (message.campaign !== null && maySeeCampaigns) {
    return <Link href={toScreen(`/campaigns/${message.campaign}`)}>{authors.campaign}</Link>;
  }
  const other = message.email?.from;
  if (other) return <bdi>{other.name === null ? other.address : `${other.name} · ${other.address}`}</bdi>;
  const writer =
    message.sender_type === 'CONTACT' ? contact : (user?.name ?? agent?.name ?? authors[nameOrigin(message.origin)]);
  return (
    <>
      {user && <Avatar name={user.name} picture={user.avatar_url} size="small" />}
      <span>
        {message.message_type === 'NOTE' && `${texts.note} · `}
        <bdi>{writer}</bdi>
      </span>
      {agent && <Badge tone="ai">{inbox.ai}</Badge>}
    </>
  );
}

/** The beginning of the message that is answered. */
export function Quote({ conversation, id }: { conversation: string; id: string }): ReactElement | null {
  const { data: message } = useMessage(conversation, id);
  if (!message) return null;
  return (
    <blockquote className={styles['quote']} dir="auto">
      <Preview message={message} />
    </blockquote>
  );
}

/** The network takes nothing but templates now, so the same text would fail again. */
const isHopeless = ({ contentType, errors }: Message): boolean =>
  contentType !== 'TEMPLATE' && ['WINDOW_EXPIRED', '131047'].includes(String(errors[0]?.code));

/** Why a message has failed, and what sends it again as a new message. */
function Failure({ message, isReadOnly }: { message: Message; isReadOnly: boolean }): ReactElement {
  const texts = useTexts(THREAD);
  const { user } = useSession();
  const explain = useExplainFailure();
  const mayWrite = useMay('messages:create');
  const { conversation, errors, failure_reason, reply_to } = message;
  const cause = failure_reason ?? errors[0];
  const wasRepeated = isRepeated(message);
  const content = wasRepeated || isReadOnly || isHopeless(message) ? null : copyContent(message);
  const send = (): void => {
    if (content) void post({ user: user._id, conversation, content, replyTo: reply_to });
    returnToComposer();
  };
  return (
    <>
      {cause && <p className={styles['cause']}>{explain(cause)}</p>}
      {wasRepeated && <p className={styles['who']}>{texts.sentAgain}</p>}
      {mayWrite && content && (
        <div className={styles['buttons']}>
          <Button icon="refresh" onClick={send}>
            {texts.sendAgain}
          </Button>
        </div>
      )}
    </>
  );
}
