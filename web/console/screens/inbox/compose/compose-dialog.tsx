/** Starts a conversation: with whom, from which inbox, and its first message, a text or a template. */
import { isParleyError, type Conversation } from '@parley/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useLocation } from 'wouter';
import { parley } from '../../../client.ts';
import { endComposing, useComposing } from '../../../frame/composing.ts';
import { useInboxes } from '../../../records/company.ts';
import { showConversation } from '../../../records/conversations.ts';
import { useSession } from '../../../session/session.ts';
import { useTexts } from '../../../texts/texts.ts';
import { CONTENT_NAMES } from '../../../texts/contents.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { CheckField, SelectField, TextArea } from '../../../ui/field.tsx';
import { FormProblem } from '../../../ui/form-problem.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { RecordPicker } from '../../../ui/record-picker.tsx';
import { NO_HEAD, readHead, type MailHead } from '../thread/mail-head.ts';
import { MailInputs } from '../thread/mail-inputs.tsx';
import { post, type OutgoingContent } from '../thread/outbox.ts';
import { TemplateDialog } from '../thread/template-dialog.tsx';
import { THREAD } from '../thread/texts.ts';
import { isWindowClosed } from '../window.ts';
import styles from './compose.module.css';
import { useForwarded, type Forwarded } from './forward.ts';
import { findRecipients, listInboxesFor, nameRecipient, ofContact, type Recipient } from './recipient.ts';
import { COMPOSE } from './texts.ts';

export function ComposeDialog(): ReactElement | null {
  const texts = useTexts(COMPOSE);
  const given = useComposing()?.contact ?? null;
  const [recipient, choose] = useState(given && ofContact(given));
  const forwarded = useForwarded();
  if (recipient) return <MessageForm {...{ recipient, forwarded }} onBack={() => choose(null)} />;
  return (
    <Dialog title={forwarded ? texts.forward : texts.title} onClose={endComposing}>
      <RecordPicker<Recipient>
        label={texts.find}
        noun="recipients"
        search={findRecipients}
        name={nameRecipient}
        about={({ contact, phone, email }) => (contact ? [phone, email].filter(Boolean).join(' · ') : texts.newContact)}
        onChoose={choose}
      />
    </Dialog>
  );
}

interface MessageFormProps {
  recipient: Recipient;
  /** The message that is sent on; null when the user writes a new one. */
  forwarded: Forwarded | null;
  onBack(): void;
}

/** Files that networks show without a text. */
const hasCaption = ({ fileType }: Extract<Forwarded, { kind: 'FILE' }>): boolean =>
  fileType !== 'AUDIO' && fileType !== 'STICKER';

function MessageForm({ recipient, forwarded, onBack }: MessageFormProps): ReactElement {
  const texts = useTexts(COMPOSE);
  const thread = useTexts(THREAD);
  const inboxes = listInboxesFor(recipient, useInboxes());
  const [chosen, chooseInbox] = useState<string | null>(null);
  const inbox = inboxes.find(({ _id }) => _id === chosen) ?? inboxes[0];
  const { data: open } = useOpenConversation(recipient.contact?._id, inbox?._id);
  const [text, setText] = useState(forwarded?.text ?? '');
  const file = forwarded?.kind === 'FILE' ? forwarded : null;
  const [head, setHead] = useState<MailHead>({ ...NO_HEAD, subject: forwarded?.email?.subject ?? '' });
  const mail = inbox?.channel === 'EMAIL' ? readHead(head) : null;
  const [isMine, setMine] = useState(true);
  const [isTemplate, setTemplate] = useState(false);
  const start = useStart();
  const send = (content: OutgoingContent): void =>
    // A conversation that is open keeps its owner.
    inbox && start.mutate({ recipient, inbox: inbox._id, isMine: isMine && !open, content });
  const needsTemplate =
    inbox !== undefined && isWindowClosed({ window_expires_at: null, ...open, channel: inbox.channel });
  if (isTemplate && inbox)
    return (
      <TemplateDialog
        inbox={inbox._id}
        contact={recipient.contact}
        onSend={send}
        isBusy={start.isPending}
        error={start.error}
        onClose={() => setTemplate(false)}
      />
    );
  return (
    <Dialog
      title={forwarded ? texts.forward : texts.title}
      onClose={endComposing}
      actions={
        <>
          <Button onClick={onBack}>{texts.somebodyElse}</Button>
          {inbox?.has_templates && (
            <Button kind={needsTemplate ? 'primary' : 'plain'} icon="template" onClick={() => setTemplate(true)}>
              {texts.chooseTemplate}
            </Button>
          )}
          {!needsTemplate && (
            <Button
              kind="primary"
              icon="send"
              isBusy={start.isPending}
              disabled={inbox === undefined || Boolean(mail?.wrong) || (!file && text.trim() === '')}
              onClick={() => send({ ...(file ?? { kind: 'TEXT' }), text: text.trim(), email: mail?.given })}
            >
              {thread.send}
            </Button>
          )}
        </>
      }
    >
      <FormProblem error={start.error} fields={[]} />
      <p className={styles['recipient']}>
        {texts.to}: <bdi>{nameRecipient(recipient)}</bdi>
      </p>
      {inbox ? (
        <SelectField<string>
          label={texts.from}
          value={inbox._id}
          options={inboxes.map(({ _id, name }) => ({ value: _id, label: name }))}
          onChange={chooseInbox}
        />
      ) : (
        <p>{texts.noInbox}</p>
      )}
      {open && <p className={styles['hint']}>{open.handled_by === 'AI' ? texts.agentAnswers : texts.alreadyOpen}</p>}
      {needsTemplate && <p className={styles['hint']}>{texts.templateOnly}</p>}
      {mail && <MailInputs fields={['cc', 'bcc', 'subject']} head={head} onChange={setHead} />}
      {file && !needsTemplate && <FileName file={file} />}
      {inbox && !needsTemplate && (!file || hasCaption(file)) && (
        <TextArea label={file ? texts.caption : texts.message} rows={5} value={text} onChange={setText} />
      )}
      {inbox && !open && <CheckField label={texts.assignToMe} checked={isMine} onChange={setMine} />}
    </Dialog>
  );
}

function FileName({ file: { name, fileType } }: { file: Extract<Forwarded, { kind: 'FILE' }> }): ReactElement {
  const contents = useTexts(CONTENT_NAMES);
  return (
    <p className={styles['file']}>
      <Icon name="attach" size={16} /> <bdi>{name || contents[fileType]}</bdi>
    </p>
  );
}

/** The open conversation of a contact in an inbox; null while there is none. */
const useOpenConversation = (contact: string | undefined, inbox: string | undefined) =>
  useQuery({
    queryKey: ['open-conversation', contact, inbox],
    queryFn: async ({ signal }): Promise<Conversation | null> =>
      contact === undefined || inbox === undefined
        ? null
        : ((await parley.conversations.list({ contact, inbox, open: true, limit: 1, skipCount: true }, { signal }))
            .result[0] ?? null),
  });

/** Returns the id of the contact with this address. */
async function findOrCreate(email: string): Promise<string> {
  try {
    return (await parley.contacts.create({ email }))._id;
  } catch (error) {
    const existing = isParleyError(error) && error.code === 'CONTACT_EXISTS' && error.problem?.existing_id;
    if (existing) return existing;
    throw error;
  }
}

interface Start {
  recipient: Recipient;
  inbox: string;
  isMine: boolean;
  content: OutgoingContent;
}

/**
 * Opens the conversation, goes there and posts the message, which the thread shows with what becomes of it. Pressed again after an answer
 * that was lost, it finds the same contact and conversation.
 */
function useStart() {
  const [, navigate] = useLocation();
  const { user } = useSession();
  return useMutation({
    mutationFn: async ({ recipient, inbox, isMine, content }: Start) => {
      const { contact, phone, email } = recipient;
      const known = contact?._id ?? (email === null ? null : await findOrCreate(email));
      const conversation = await parley.conversations.open({
        inbox,
        ...(known === null ? { phone_number: phone ?? '' } : { contact: known }),
        ...(isMine && { owner: user._id }),
      });
      return { conversation, content };
    },
    onSuccess: ({ conversation, content }) => {
      showConversation(conversation);
      void post({ user: user._id, conversation: conversation._id, content, replyTo: null });
      endComposing();
      navigate(`/inbox/all/${conversation._id}`);
    },
  });
}
