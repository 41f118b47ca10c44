/** Where a message or a note is written, with its files. */
import type { Contact, Conversation, Message } from '@parley/sdk';
import { useEffect, useRef, useState, type DragEvent, type PointerEvent, type ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { announcePresence } from '../../../live/presence.ts';
import { useCompanyName, useQuickReplies, useUsersOf } from '../../../records/company.ts';
import { findUnfilled } from '../../../records/quick-replies.ts';
import { keepPlace, type RunInTurn } from '../../../records/in-order.ts';
import { useMay, useSession } from '../../../session/session.ts';
import { useTexts } from '../../../texts/texts.ts';
import { useMinute } from '../../../ui/minute.ts';
import { useHasTemplates } from '../../../ui/templates/template-inboxes.ts';
import { showError } from '../../../ui/toast.tsx';
import { UploadList } from '../../../ui/uploads/upload-list.tsx';
import { useUploadsIn, type Upload, type Uploads } from '../../../ui/uploads/uploads.ts';
import { useUndoWritten, WritingLine, WritingMenu } from '../assist/assist.tsx';
import type { AssistProps } from '../assist/assist-menu.tsx';
import { isWindowClosed } from '../window.ts';
import { ComposerBar } from './composer-bar.tsx';
import { ComposerNews } from './composer-news.tsx';
import { useWriteKeys } from '../conversation-keys.tsx';
import { returnToComposer } from '../../../frame/writing.ts';
import styles from './composer.module.css';
import { isReplyBegun, openFiles, sendUploaded, useDraft, useDraftPlace, useIsAwaited, type Draft } from './drafts.ts';
import { post, sayUnsent, type OutgoingContent } from './outbox.ts';
import { MailFields } from './mail-fields.tsx';
import { useMailHead, type GivenMail, type MailWriting } from './mail-head.ts';
import { OthersHere } from './others-here.tsx';
import { ReplyMark } from './reply-mark.tsx';
import { offerQuickReplies, offerUsers, type Suggestion } from './suggestions.ts';
import { SendingFrom } from './sending-from.tsx';
import { useUndo } from './taking-back.ts';
import { TemplateDialog } from './template-dialog.tsx';
import { TextInput } from './text-input.tsx';
import { THREAD } from './texts.ts';
import { WritingTabs } from './writing-tabs.tsx';

interface ComposerProps {
  conversation: Conversation;
  contact: Contact | null;
  /** The message that is answered. */
  replyTo: Message | null;
  onReplyDone(): void;
}

export function Composer(props: ComposerProps): ReactElement | null {
  const { conversation, contact, replyTo, onReplyDone } = props;
  const texts = useTexts(THREAD);
  const place = useDraftPlace(conversation._id);
  const draft = useDraft(place);
  const isNote = draft.writing === 'NOTE';
  const [isTemplate, setTemplate] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  const uploads = useUploadsIn(openFiles(place));
  // A note has no files, and leaves those of the reply where they are.
  const files = isNote ? [] : uploads.files;
  const isLate = useIsLate(conversation) && !isNote;
  const begun = { ...draft.hasText, REPLY: draft.hasText.REPLY || uploads.files.length > 0 || replyTo !== null };
  const failed = files.filter(({ problem }) => problem !== null).length;
  const isAwaited = useIsAwaited(place) && !isNote;
  const mail = useMailHead(conversation, contact, place);
  const unfilled = isNote ? null : findUnfilled(draft.text);
  const blocked = contact?.blocked === true && !isNote ? contact : null;
  const isStopped = failed > 0 || blocked !== null || unfilled !== null || isLate || isAwaited;
  const canSend = (draft.text.trim() !== '' || files.length > 0) && !isStopped && (isNote || !mail?.wrong);
  const { send, sendLater, take } = useSending(props, { place, draft, uploads, canSend, mail });
  const announceTyping = useTyping(conversation._id);
  const assist = { conversation: conversation._id, contact, place, text: draft.text, onText: draft.setText };
  const undo = useUndoing(assist);
  useWritingChoice(draft, replyTo);
  const offers = useOffers(conversation.inbox, contact, isNote);
  const hasTemplates = useHasTemplates(conversation.inbox);
  if (!useMay('messages:create')) return null;
  const addFiles = (added: readonly File[]): void => {
    if (isNote) showError(texts.noFilesInNote);
    else uploads.add(added);
    returnToComposer();
  };
  return (
    <div
      className={`${styles['composer']} ${isNote ? styles['note'] : ''}`}
      data-composer
      data-unfinished={begun.REPLY || begun.NOTE || undefined}
      onPointerUp={keepFocus}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => takeDropped(event, addFiles)}
    >
      <OthersHere conversation={conversation._id} />
      <WritingTabs
        writing={draft.writing}
        begun={begun}
        onChoose={draft.choose}
        beside={isNote ? null : <SendingFrom conversation={conversation} />}
      >
        {replyTo && !isNote && <ReplyMark message={replyTo} onClose={thenReturn(onReplyDone)} />}
        {mail && !isNote && <MailFields writing={mail} />}
        <UploadList files={files} onRemove={thenReturn(uploads.remove)} onRetry={thenReturn(uploads.retry)} />
        <ComposerNews {...{ isAwaited, failed, unfilled, blocked }} />
        <TextInput
          label={isNote ? texts.writeNote : texts.write}
          {...{ text: draft.text, area, offers }}
          onChange={(next) => {
            draft.setText(next);
            announceTyping();
          }}
          onSend={send}
          onTake={take}
          onFiles={addFiles}
          onUndo={isNote ? null : undo}
        />
        {!isNote && <WritingLine {...assist} />}
        <ComposerBar
          {...{ isNote, canSend, isLate, area }}
          assist={<WritingMenu {...assist} />}
          isBusy={isAwaited}
          onSend={send}
          onLater={uploads.isReady ? sendLater : null}
          onFiles={addFiles}
          onEmoji={(emoji) => draft.setText(insertAtCaret(area.current, emoji))}
          onTemplate={hasTemplates && !blocked ? () => setTemplate(true) : null}
        />
      </WritingTabs>
      {isTemplate && <TemplateSending {...{ conversation, contact }} onClose={() => setTemplate(false)} />}
    </div>
  );
}

/** Ctrl Z takes back what the model has written, and in an empty composer what was sent last. */
function useUndoing(assist: AssistProps): (() => void) | null {
  const takeBack = useUndo(assist.conversation);
  const undoWritten = useUndoWritten(assist);
  return undoWritten ?? (assist.text === '' ? takeBack : null);
}

function takeDropped(event: DragEvent, add: (files: readonly File[]) => void): void {
  const dropped = [...event.dataTransfer.files];
  if (dropped.length === 0) return;
  event.preventDefault();
  add(dropped);
}

/** The window may close while the conversation is open. */
function useIsLate(conversation: Conversation): boolean {
  useMinute();
  return isWindowClosed(conversation);
}

function useWritingChoice({ choose }: Draft, replyTo: Message | null): void {
  useWriteKeys(() => choose('NOTE'));
  // The contact reads an answer to a message, so it is a reply and not a note.
  useEffect(() => (replyTo ? choose('REPLY') : undefined), [replyTo]);
}

function TemplateSending({
  conversation,
  contact,
  onClose,
}: Pick<ComposerProps, 'conversation' | 'contact'> & { onClose(): void }): ReactElement {
  const { user } = useSession();
  const send = (content: OutgoingContent): void => {
    void post({ user: user._id, conversation: conversation._id, content, replyTo: null });
    onClose();
  };
  return <TemplateDialog inbox={conversation.inbox} contact={contact} onSend={send} onClose={onClose} />;
}

/** Focuses the field when the user clicks an empty part of the composer or a disabled button. */
function keepFocus({ currentTarget, target }: PointerEvent): void {
  const isOutside = !currentTarget.contains(target as Node);
  if (isOutside || (target as Element).closest('button:enabled, input, textarea, [role=option]')) return;
  returnToComposer();
}

const thenReturn =
  <T extends unknown[]>(act: (...given: T) => void) =>
  (...given: T): void => {
    act(...given);
    returnToComposer();
  };

interface Sending {
  place: string;
  draft: Draft;
  uploads: Uploads;
  canSend: boolean;
  mail: MailWriting | null;
}

/** Sends what is written, and takes a suggestion into it. */
function useSending(
  { conversation, replyTo, onReplyDone }: ComposerProps,
  { place, draft, uploads, canSend, mail }: Sending,
): { send(): void; sendLater(at: string): void; take(suggestion: Suggestion): void } {
  const { user } = useSession();
  const mentioned = useRef(new Map<string, string>());
  const { text, writing, setText } = draft;
  const isNote = writing === 'NOTE';
  const postAll = (run?: RunInTurn, at?: string): Promise<unknown> => {
    const mentions = [...mentioned.current].filter(([, name]) => text.includes(name)).map(([id]) => id);
    const contents = makeContents(text.trim(), {
      isNote,
      mentions,
      uploads: openFiles(place).get(),
      email: mail?.given,
    });
    const quoted = isNote ? null : (replyTo?._id ?? null);
    const posted = contents.map((content, index) =>
      post(
        {
          user: user._id,
          conversation: conversation._id,
          content,
          replyTo: index === 0 ? quoted : null,
          ...(at !== undefined && { later: { send_at: at } }),
        },
        run,
      ),
    );
    setText('');
    if (isNote) mentioned.current.clear();
    else {
      uploads.clear();
      mail?.set(null);
      onReplyDone();
    }
    return Promise.all(posted);
  };
  const postUploaded = async (run: RunInTurn): Promise<boolean> => {
    const isSent = await sendUploaded(place, () => postAll(run));
    // Another tab may have sent it.
    if (!isSent && isReplyBegun(place)) sayUnsent(conversation._id);
    return isSent;
  };
  const send = (): void => {
    returnToComposer();
    if (!canSend) return;
    if (isNote || uploads.isReady) void postAll();
    // What is done with the conversation meanwhile comes after the message.
    else keepPlace(conversation._id, (run) => postUploaded(run));
  };
  const sendLater = (at: string): void => {
    returnToComposer();
    if (canSend) void postAll(undefined, at);
  };
  const take = ({ attachment, user: mention, label }: Suggestion): void => {
    if (mention !== undefined) mentioned.current.set(mention, label);
    // A note has no files.
    if (attachment && !isNote) uploads.addStored(label, () => parley.attachments.get(attachment));
  };
  return { send, sendLater, take };
}

/** Writes into the field in place of what is selected there, and returns its text. */
function insertAtCaret(field: HTMLTextAreaElement | null, words: string): string {
  field?.setRangeText(words, field.selectionStart, field.selectionEnd, 'end');
  return field?.value ?? words;
}

function useOffers(inbox: string, contact: Contact | null, isNote: boolean): Record<'/' | '@', Suggestion[]> {
  const { user } = useSession();
  const replies = useQuickReplies();
  const users = useUsersOf(inbox);
  const company = useCompanyName();
  return {
    '/': offerQuickReplies(replies, { contact, user, company }),
    '@': isNote ? offerUsers(users) : [],
  };
}

interface Written {
  isNote: boolean;
  mentions: string[];
  uploads: readonly Upload[];
  email: GivenMail | undefined;
}

/** What is sent: each file by itself, the text as the caption of the first one that can have one, else as a message before. */
function makeContents(text: string, { isNote, mentions, uploads, email }: Written): OutgoingContent[] {
  if (isNote) return [{ kind: 'NOTE', text, mentions }];
  const files = uploads.flatMap(({ attachment, name }) =>
    attachment
      ? [{ kind: 'FILE' as const, text: '', attachment: attachment._id, fileType: attachment.file_type, name, email }]
      : [],
  );
  const captioned = files.findIndex(({ fileType }) => fileType !== 'AUDIO' && fileType !== 'STICKER');
  if (captioned >= 0) return files.map((file, index) => (index === captioned ? { ...file, text } : file));
  return text === '' ? files : [{ kind: 'TEXT', text, email }, ...files];
}

/** The platform forgets after fifteen seconds that somebody types. */
const TYPING_MS = 5_000;

/** Returns what tells the others that this user types, at most every few seconds. */
function useTyping(conversation: string): () => void {
  const last = useRef(0);
  return () => {
    if (Date.now() - last.current < TYPING_MS) return;
    last.current = Date.now();
    announcePresence(conversation, 'TYPING');
  };
}
