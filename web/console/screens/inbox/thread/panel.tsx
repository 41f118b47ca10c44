/** Who the contact is, the tags of the conversation, and the contact's other conversations. */
import type { Contact, Conversation } from '@parley/sdk';
import { useState, type FormEvent, type ReactElement } from 'react';
import { Link } from 'wouter';
import { toScreen } from '../../../client.ts';
import { isTyping } from '../../../frame/writing.ts';
import { useCustomFields } from '../../../records/company.ts';
import { useConversationChange, useConversations } from '../../../records/conversations.ts';
import { useMay } from '../../../session/session.ts';
import { formatMoment, formatShort } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import {
  CustomFieldInputs,
  listCustomDetails,
  pickCustomChanges,
  toCustomValues,
  type CustomValues,
} from '../../../ui/custom-fields.tsx';
import { Details, type Detail } from '../../../ui/details.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { COMMON } from '../../../ui/texts.ts';
import { showError } from '../../../ui/toast.tsx';
import { STATUS_NAMES } from '../../../texts/conversation-states.ts';
import { Preview } from '../../../ui/preview.tsx';
import { Followers } from './followers.tsx';
import styles from './panel.module.css';
import { THREAD } from './texts.ts';

interface PanelProps {
  conversation: Conversation;
  contact: Contact | null;
  view: string;
  /** Closes a panel that covers messages; null for one next to them. */
  onClose: (() => void) | null;
}

export function Panel({ conversation, contact, view, onClose }: PanelProps): ReactElement {
  const texts = useTexts(THREAD);
  const common = useTexts(COMMON);
  const maySeeCampaigns = useMay('campaigns:read');
  return (
    <aside
      className={styles['details']}
      aria-label={texts.details}
      onKeyDown={(event) => event.key === 'Escape' && !isTyping(event.nativeEvent) && onClose?.()}
    >
      {onClose && (
        <div className={styles['close']}>
          <IconButton icon="close" label={common.close} onClick={onClose} />
        </div>
      )}
      {contact && <AboutContact contact={contact} />}
      {conversation.campaign !== null && maySeeCampaigns && (
        <Link href={toScreen(`/campaigns/${conversation.campaign}`)}>{texts.toCampaign}</Link>
      )}
      <Fields conversation={conversation} />
      <Tags conversation={conversation} />
      <Followers conversation={conversation._id} />
      <Others conversation={conversation} view={view} />
    </aside>
  );
}

function AboutContact({ contact }: { contact: Contact }): ReactElement {
  const texts = useTexts(THREAD);
  const fields = useCustomFields('contact');
  const facts: Detail[] = [
    [texts.phone, contact.phone_number],
    [texts.email, contact.email],
    [texts.language, contact.language],
    [texts.lastWrote, contact.last_inbound_at && formatMoment(contact.last_inbound_at)],
    ...listCustomDetails(fields, contact.custom_fields),
  ];
  return (
    <section>
      <h2 dir="auto">{contact.name}</h2>
      <p className={styles['badges']}>
        {contact.opted_out && <Badge tone="warning">{texts.optedOut}</Badge>}
        {contact.blocked && <Badge tone="danger">{texts.blocked}</Badge>}
        {contact.tags.map((tag) => (
          <Badge key={tag}>{tag}</Badge>
        ))}
      </p>
      <Details items={facts.filter((fact) => fact && fact[1] !== null)} />
    </section>
  );
}

/** Leaves out what has been saved, and keeps what was typed since. */
const keepOthers =
  (saved: ReadonlyMap<string, unknown>) =>
  (edited: CustomValues): CustomValues =>
    new Map([...edited].filter(([slug, value]) => value !== saved.get(slug)));

/** The company's own fields of the conversation. What is typed stays while a colleague changes other fields. */
function Fields({ conversation }: { conversation: Conversation }): ReactElement | null {
  const texts = useTexts(THREAD);
  const common = useTexts(COMMON);
  const fields = useCustomFields('conversation');
  const before = toCustomValues(conversation.custom_fields);
  const [edited, edit] = useState<CustomValues>(new Map());
  const change = useConversationChange(conversation._id);
  const may = useMay('conversations:update');
  const values: CustomValues = new Map([...before, ...edited]);
  const custom_fields = pickCustomChanges(before, values);
  if (fields.length === 0) return null;
  if (!may) return <Details items={listCustomDetails(fields, conversation.custom_fields)} />;
  return (
    <section className={styles['fields']} data-unfinished={custom_fields !== undefined || undefined}>
      <h3>{texts.fields}</h3>
      <CustomFieldInputs
        fields={fields}
        values={values}
        error={change.error}
        onChange={(all) => edit(new Map([...all].filter(([slug, value]) => value !== before.get(slug))))}
      />
      {custom_fields && (
        <Button
          kind="primary"
          isBusy={change.isPending}
          onClick={() => change.mutate({ custom_fields }, { onSuccess: () => edit(keepOthers(edited)) })}
        >
          {common.save}
        </Button>
      )}
    </section>
  );
}

function Tags({ conversation }: { conversation: Conversation }): ReactElement {
  const texts = useTexts(THREAD);
  const [typed, setTyped] = useState('');
  const may = useMay('conversations:update');
  const change = useConversationChange(conversation._id);
  const set = (tags: string[]): void => change.mutate({ tags }, { onError: showError });
  const add = (event: FormEvent): void => {
    event.preventDefault();
    const tag = typed.trim();
    setTyped('');
    if (tag !== '' && !conversation.tags.includes(tag)) set([...conversation.tags, tag]);
  };
  return (
    <section>
      <h3>{texts.tags}</h3>
      <ul className={styles['badges']}>
        {conversation.tags.map((tag) => (
          <li key={tag} className={styles['tag']}>
            <Badge>{tag}</Badge>
            {may && (
              <button
                type="button"
                className={styles['remove']}
                aria-label={texts.removeTag(tag)}
                onClick={() => set(conversation.tags.filter((each) => each !== tag))}
              >
                <Icon name="close" size={12} />
              </button>
            )}
          </li>
        ))}
      </ul>
      {may && (
        <form onSubmit={add}>
          <input
            className={styles['add']}
            aria-label={texts.addTag}
            placeholder={texts.addTag}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </form>
      )}
    </section>
  );
}

function Others({ conversation, view }: { conversation: Conversation; view: string }): ReactElement | null {
  const texts = useTexts(THREAD);
  const states = useTexts(STATUS_NAMES);
  const { items } = useConversations({ contact: conversation.contact });
  const others = items.filter(({ _id }) => _id !== conversation._id);
  if (others.length === 0) return null;
  return (
    <section>
      <h3>{texts.otherConversations}</h3>
      <ul>
        {others.map(({ _id, status, channel, last_message, last_message_at }) => (
          <li key={_id}>
            <Link href={`/${view}/${_id}`} className={styles['other']}>
              <span className={styles['text']} dir="auto">
                {last_message ? <Preview message={{ ...last_message, channel }} /> : states[status]}
              </span>
              <span className={styles['soft']}>
                {states[status]}
                {last_message_at && ` · ${formatShort(last_message_at)}`}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
