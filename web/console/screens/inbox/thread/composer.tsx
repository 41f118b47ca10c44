/** Where a message or a note is written, with its files. */
import type { Contact, Conversation, Message } from '@parley/sdk';
import { useRef, useState, type DragEvent, type ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { announcePresence } from '../../../live/presence.ts';
import { useCompanyName, useQuickReplies, useUsers } from '../../../records/company.ts';
import { useMay, useSession } from '../../../session/session.ts';
import { useTexts } from '../../../texts/texts.ts';
import { useHasTemplates } from '../../../ui/templates/template-inboxes.ts';
import { showError } from '../../../ui/toast.tsx';
import { UploadList } from '../../../ui/uploads/upload-list.tsx';
import { useUploads, type Upload } from '../../../ui/uploads/uploads.ts';
import { ComposerBar } from './composer-bar.tsx';
import { useWriteKeys } from '../conversation-keys.tsx';
import styles from './composer.module.css';
import { useDraft } from './drafts.ts';
import { post, type OutgoingContent } from './outbox.ts';
import { ReplyMark } from './reply-mark.tsx';
import { offerQuickReplies, offerUsers, type Suggestion } from './suggestions.ts';
import { TemplateDialog } from './template-dialog.tsx';
import { TextInput } from './text-input.tsx';
import { THREAD } from './texts.ts';

interface ComposerProps {
  conversation: Conversation;
  contact: Contact | null;
  /** The message that is answered. */
  replyTo: Message | null;
  onReplyDone(): void;
}

export function Composer({ conversation, contact, replyTo, onReplyDone }: ComposerProps): ReactElement | null {
  const texts = useTexts(THREAD);
  const { user } = useSession();
  const [text, setText] = useDraft(conversation._id);
  const [isNote, setNote] = useState(false);
  const [isTemplate, setTemplate] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  const mentioned = useRef(new Map<string, string>());
  const uploads = useUploads();
  const announceTyping = useTyping(conversation._id);
  useWriteKeys(setNote);
  const offers = useOffers(contact, isNote);
  const hasTemplates = useHasTemplates(conversation.inbox);
  const isLate = isWindowClosed(conversation) && !isNote;
  if (!useMay('messages:create')) return null;

  const canSend = (text.trim() !== '' || uploads.files.length > 0) && uploads.isReady && !isLate;
  const send = (): void => {
    if (!canSend) return;
    const mentions = [...mentioned.current].filter(([, name]) => text.includes(name)).map(([id]) => id);
    const contents = makeContents(text.trim(), { isNote, mentions, uploads: uploads.files });
    void sendInOrder(contents, (content, index) =>
      post({
        user: user._id,
        conversation: conversation._id,
        content,
        replyTo: index === 0 ? (replyTo?._id ?? null) : null,
      }),
    );
    setText('');
    mentioned.current.clear();
    uploads.clear();
    onReplyDone();
  };
  const take = ({ attachment, user: mention, label }: Suggestion): void => {
    if (mention !== undefined) mentioned.current.set(mention, label);
    if (attachment) void parley.attachments.get(attachment).then(uploads.addStored, showError);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    if (!isNote) uploads.add([...event.dataTransfer.files]);
  };
  return (
    <div
      className={`${styles['composer']} ${isNote ? styles['note'] : ''}`}
      onDragOver={(event) => event.preventDefault()}
      onDrop={drop}
    >
      {isLate && <p className={styles['late']}>{texts.windowClosed}</p>}
      {replyTo && <ReplyMark message={replyTo} onClose={onReplyDone} />}
      <UploadList files={uploads.files} onRemove={uploads.remove} />
      <TextInput
        label={isNote ? texts.writeNote : texts.write}
        {...{ text, area, offers }}
        onChange={(next) => {
          setText(next);
          announceTyping();
        }}
        onSend={send}
        onTake={take}
        onFiles={uploads.add}
      />
      <ComposerBar
        {...{ isNote, canSend, area }}
        onNote={() => setNote(!isNote)}
        onSend={send}
        onFiles={uploads.add}
        onEmoji={(emoji) => setText(insertAtCaret(area.current, emoji))}
        onTemplate={hasTemplates ? () => setTemplate(true) : null}
      />
      {isTemplate && (
        <TemplateDialog conversation={conversation} contact={contact} onClose={() => setTemplate(false)} />
      )}
    </div>
  );
}

/** Writes into the field in place of what is selected there, and returns its text. */
function insertAtCaret(field: HTMLTextAreaElement | null, words: string): string {
  field?.setRangeText(words, field.selectionStart, field.selectionEnd, 'end');
  return field?.value ?? words;
}

function useOffers(contact: Contact | null, isNote: boolean): Record<'/' | '@', Suggestion[]> {
  const { user } = useSession();
  const replies = useQuickReplies();
  const users = useUsers();
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
}

/** What is sent: each file by itself, the text as the caption of the first one that can have one, else as a message before. */
function makeContents(text: string, { isNote, mentions, uploads }: Written): OutgoingContent[] {
  if (isNote) return [{ kind: 'NOTE', text, mentions }];
  const files = uploads.flatMap(({ attachment, name }) =>
    attachment
      ? [{ kind: 'FILE' as const, text: '', attachment: attachment._id, fileType: attachment.file_type, name }]
      : [],
  );
  const captioned = files.findIndex(({ fileType }) => fileType !== 'AUDIO' && fileType !== 'STICKER');
  if (captioned >= 0) return files.map((file, index) => (index === captioned ? { ...file, text } : file));
  return text === '' ? files : [{ kind: 'TEXT', text }, ...files];
}

/** Sends one after the other, so that they arrive in this order. */
async function sendInOrder(
  contents: readonly OutgoingContent[],
  send: (content: OutgoingContent, index: number) => Promise<void>,
): Promise<void> {
  for (const [index, content] of contents.entries()) await send(content, index);
}

/** True when the network no longer takes anything but templates. Channels without a window have no end of it. */
function isWindowClosed({ window_expires_at, channel }: Conversation): boolean {
  if (window_expires_at !== null) return Date.parse(window_expires_at) < Date.now();
  return channel === 'WAP_AUTO_CLOSER';
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
