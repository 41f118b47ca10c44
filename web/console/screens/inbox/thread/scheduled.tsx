/** A message that is scheduled, one that is held so that it can be taken back, or one that could not be sent at its time. */
import type { Conversation, ScheduledMessage, ScheduledMessageUpdate } from '@parley/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { COMMAND_KEY } from '../../../frame/shortcuts.ts';
import { findReturn } from '../../../frame/writing.ts';
import type { FeedView } from '../../../records/feeds.ts';
import { findUnfilled } from '../../../records/quick-replies.ts';
import { changeScheduled, findSecondsLeft, sendScheduled } from '../../../records/scheduled-messages.ts';
import { useMay, useSession } from '../../../session/session.ts';
import { useExplainFailure } from '../../../texts/failures.ts';
import { CONTENT_NAMES } from '../../../texts/contents.ts';
import { formatListed, formatWeekdayTime } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { TextArea } from '../../../ui/field.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { explainError } from '../../../ui/problem.ts';
import { COMMON } from '../../../ui/texts.ts';
import { showError } from '../../../ui/toast.tsx';
import styles from './scheduled.module.css';
import { Quote } from './message.tsx';
import { findTemplateText } from './outbox.ts';
import { SENDING } from './sending-texts.ts';
import { useTakeBack } from './taking-back.ts';
import { THREAD } from './texts.ts';
import { MOST_CHARACTERS } from './text-input.tsx';
import { TimeDialog } from './time-menu.tsx';

interface ScheduledProps {
  scheduled: ScheduledMessage;
  conversation: Conversation;
}

export function ScheduledBubble({ scheduled, conversation }: ScheduledProps): ReactElement {
  const { message, is_held, status, reply_to } = scheduled;
  const text = message.content ?? findTemplateText(scheduled);
  return (
    <article className={styles['scheduled']}>
      <div className={`${styles['bubble']} ${is_held ? styles['held'] : ''}`}>
        {reply_to !== null && <Quote conversation={scheduled.conversation} id={reply_to} />}
        {message.attachment !== null && <FileName id={message.attachment} />}
        {message.template && <TemplateName name={message.template.name} />}
        {text && (
          <p className={styles['text']} dir="auto">
            {text}
          </p>
        )}
      </div>
      {status === 'FAILED' ? (
        <Failed scheduled={scheduled} />
      ) : is_held ? (
        <Held scheduled={scheduled} />
      ) : (
        <Later scheduled={scheduled} conversation={conversation} />
      )}
    </article>
  );
}

/** Says that the scheduled messages could not be read, below the messages among which they would be. */
export function ScheduledProblem({ lists }: { lists: readonly FeedView<ScheduledMessage>[] }): ReactElement | null {
  const texts = useTexts(SENDING);
  const common = useTexts(COMMON);
  const failed = lists.filter(({ error }) => error !== null);
  if (failed.length === 0) return null;
  return (
    <p className={styles['problem']} role="alert">
      <Icon name="warning" size={16} />
      <span>{texts.notLoaded(explainError(failed[0]?.error))}</span>
      <Button kind="quiet" onClick={() => failed.forEach(({ reread }) => reread())}>
        {common.tryAgain}
      </Button>
    </p>
  );
}

function FileName({ id }: { id: string }): ReactElement {
  const texts = useTexts(SENDING);
  const { data } = useQuery({
    queryKey: ['attachment', id],
    queryFn: ({ signal }) => parley.attachments.get(id, { signal }),
  });
  return (
    <p className={styles['part']}>
      <Icon name="file" size={16} />
      <bdi>{data?.meta.fileName ?? texts.file}</bdi>
    </p>
  );
}

function TemplateName({ name }: { name: string }): ReactElement {
  const texts = useTexts(SENDING);
  return (
    <p className={styles['part']}>
      <Icon name="template" size={16} />
      {texts.templateNamed(name)}
    </p>
  );
}

/** Counts down while its author can take the message back: only they get its text again. */
function Held({ scheduled }: { scheduled: ScheduledMessage }): ReactElement {
  const texts = useTexts(SENDING);
  const common = useTexts(COMMON);
  const { user } = useSession();
  const takeBack = useTakeBack(scheduled.conversation);
  const { created_by } = scheduled;
  const isOwn = created_by._id === user._id;
  const [seconds, setSeconds] = useState(() => findSecondsLeft(scheduled));
  useEffect(() => {
    const timer = setInterval(() => setSeconds(findSecondsLeft(scheduled)), 250);
    return () => clearInterval(timer);
  }, [scheduled]);
  const undoing = useMutation({ mutationFn: () => takeBack(scheduled) });
  return (
    <footer className={styles['foot']}>
      <span className={styles['when']} role="timer">
        <Icon name="clock" size={12} />
        {texts.sendingIn(seconds)}
        {!isOwn && <bdi>{texts.scheduledBy(created_by.name)}</bdi>}
      </span>
      {isOwn && (
        <Button
          kind="quiet"
          title={texts.undoSend(COMMAND_KEY)}
          isBusy={undoing.isPending}
          disabled={seconds === 0}
          onClick={() => undoing.mutate()}
        >
          {common.undo}
        </Button>
      )}
    </footer>
  );
}

function Later({ scheduled, conversation }: ScheduledProps): ReactElement {
  const texts = useTexts(SENDING);
  const { user } = useSession();
  const mayWrite = useMay('messages:create');
  const { send_at, created_by, message } = scheduled;
  const { window_expires_at } = conversation;
  const isLate = window_expires_at !== null && send_at > window_expires_at && message.template === null;
  return (
    <>
      {isLate && <p className={styles['warning']}>{texts.windowEnds(formatWeekdayTime(window_expires_at))}</p>}
      <footer className={styles['foot']}>
        <span className={styles['when']}>
          <Icon name="clock" size={12} />
          <time dateTime={send_at}>{texts.scheduledFor(formatListed(send_at))}</time>
          {created_by._id !== user._id && <bdi>{texts.scheduledBy(created_by.name)}</bdi>}
        </span>
        {mayWrite && <Actions scheduled={scheduled} />}
      </footer>
    </>
  );
}

function Actions({ scheduled }: { scheduled: ScheduledMessage }): ReactElement {
  const texts = useTexts(SENDING);
  const common = useTexts(COMMON);
  const { user } = useSession();
  const [isEditing, edit] = useState(false);
  const [isAsked, ask] = useState(false);
  const takeBack = useTakeBack(scheduled.conversation);
  const isOwn = scheduled.created_by._id === user._id;
  const act = useMutation({ mutationFn: (run: () => Promise<void>) => run(), onError: showError });
  const { isPending } = act;
  return (
    <>
      <Button kind="quiet" disabled={isPending} onClick={() => act.mutate(() => sendScheduled(scheduled))}>
        {texts.sendNow}
      </Button>
      <Button kind="quiet" disabled={isPending} onClick={() => edit(true)}>
        {common.edit}
      </Button>
      <Button
        kind="quiet"
        disabled={isPending}
        onClick={() => (isOwn ? act.mutate(() => takeBack(scheduled)) : ask(true))}
      >
        {texts.cancel}
      </Button>
      {isAsked && (
        <ConfirmDialog
          title={texts.cancelOf(scheduled.created_by.name)}
          lead={texts.cancelLead}
          action={texts.cancelMessage}
          isDangerous
          act={() => takeBack(scheduled)}
          onDone={() => ask(false)}
          onClose={() => ask(false)}
          finalFocus={findReturn}
        />
      )}
      {isEditing && (
        <EditDialog
          scheduled={scheduled}
          change={(changed) => act.mutate(() => changeScheduled(scheduled, changed))}
          onClose={() => edit(false)}
        />
      )}
    </>
  );
}

interface EditDialogProps {
  scheduled: ScheduledMessage;
  change(changed: ScheduledMessageUpdate): void;
  onClose(): void;
}

/** Changes the time of a message and its text, if it has one. */
function EditDialog({ scheduled: { message, send_at }, change, onClose }: EditDialogProps): ReactElement {
  const texts = useTexts(SENDING);
  const { fillIn } = useTexts(THREAD);
  const { TEXT: label } = useTexts(CONTENT_NAMES);
  const common = useTexts(COMMON);
  const [text, write] = useState(message.content ?? '');
  const content = text.trim() || null;
  const unfilled = findUnfilled(text);
  return (
    <TimeDialog
      title={texts.editScheduled}
      label={texts.sendAt}
      action={common.save}
      first={send_at}
      isComplete={unfilled === null && (content !== null || message.contentType !== 'TEXT')}
      take={(at) => change({ send_at: at, ...(content !== message.content && { message: { ...message, content } }) })}
      onClose={onClose}
    >
      {message.content !== null && (
        <TextArea
          label={label}
          value={text}
          maxLength={MOST_CHARACTERS}
          error={unfilled === null ? null : fillIn(unfilled)}
          onChange={write}
        />
      )}
    </TimeDialog>
  );
}

function Failed({ scheduled: { failure } }: { scheduled: ScheduledMessage }): ReactElement {
  const texts = useTexts(SENDING);
  const explain = useExplainFailure();
  const reasons = new Map([
    ['AUTHOR_INACTIVE', texts.authorGone],
    ['COMPANY_SUSPENDED', texts.suspended],
  ]);
  return (
    <p className={styles['cause']}>
      {texts.notScheduled}
      {failure && `: ${reasons.get(failure.code) ?? explain({ ...failure, title: '' })}`}
    </p>
  );
}
