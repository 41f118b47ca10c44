/** How far the change of the selected conversations is, and which could not be changed. */
import type { Conversation, ConversationRun } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { Link } from 'wouter';
import { nameContact, useContact } from '../../../records/contacts.ts';
import {
  cancelConversationRun,
  listClosed,
  putRunAway,
  undoClosing,
  useConversationRun,
  useShownRun,
} from '../../../records/conversation-runs.ts';
import { useConversation, useConversations } from '../../../records/conversations.ts';
import { formatNumber } from '../../../texts/formats.ts';
import { explainCode } from '../../../texts/problems.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { OpenConversationLink } from '../../../ui/open-conversation-link.tsx';
import { showError } from '../../../ui/toast.tsx';
import { COMMON } from '../../../ui/texts.ts';
import styles from './bulk.module.css';
import { nameChange } from './change-name.ts';
import { BULK } from './texts.ts';

export function RunProgress({ view }: { view: string }): ReactElement | null {
  const shown = useShownRun();
  return shown && <Shown {...shown} view={view} />;
}

interface ShownProps {
  id: string;
  before: readonly Conversation[];
  view: string;
}

function Shown({ id, before, view }: ShownProps): ReactElement | null {
  const texts = useTexts(BULK);
  const common = useTexts(COMMON);
  const { data: run } = useConversationRun(id);
  const [isOpen, open] = useState(false);
  if (!run) return null;
  const isOver = run.finished_at !== null;
  const closed = listClosed(run, before);
  const reasons = new Set(run.failures.map((failure) => explain(failure)));
  return (
    <section className={styles['bar']} aria-label={texts.progress}>
      <p className={styles['line']}>
        <span role="status">{describe(texts, run)}</span>
        <span className={styles['end']}>
          {isOver ? (
            <>
              {closed.length > 0 && (
                <Button kind="quiet" onClick={() => void undoClosing(closed).catch(showError)}>
                  {common.undo}
                </Button>
              )}
              <IconButton icon="close" label={texts.putAway} onClick={putRunAway} />
            </>
          ) : (
            <Button kind="quiet" onClick={() => void cancelConversationRun(id).catch(showError)}>
              {texts.cancel}
            </Button>
          )}
        </span>
      </p>
      {!isOver && (
        <progress className={styles['progress']} aria-label={texts.progress} max={run.total} value={run.processed} />
      )}
      {run.error && <p role="alert">{explain(run.error)}</p>}
      {run.failed_count > 0 && (
        <>
          <Button kind="quiet" icon="warning" onClick={() => open(true)}>
            {texts.failed(formatNumber(run.failed_count))}
          </Button>
          <p>{[...reasons].join(' ')}</p>
        </>
      )}
      {isOpen && <Failures run={run} view={view} onClose={() => open(false)} />}
    </section>
  );
}

function describe(
  texts: (typeof BULK)['en'],
  { change, status, processed, total, changed_count, finished_at }: ConversationRun,
): string {
  if (finished_at === null) return texts.changing(formatNumber(processed), formatNumber(total));
  const changed = texts[`${nameChange(change)}Done`](formatNumber(changed_count));
  return status === 'CANCELLED' ? `${texts.cancelled} ${changed}` : changed;
}

const explain = ({ code, message }: { code: string; message: string }): string => explainCode(code, message) ?? message;

function Failures({ run, view, onClose }: { run: ConversationRun; view: string; onClose(): void }): ReactElement {
  const texts = useTexts(BULK);
  return (
    <Dialog title={texts.failed(formatNumber(run.failed_count))} onClose={onClose}>
      <ul className={styles['failures']}>
        {run.failures.map((failure) => (
          <li key={failure.conversation}>
            <Link href={`/${view}/${failure.conversation}`} onClick={onClose}>
              <ContactName conversation={failure.conversation} />
            </Link>
            {': '}
            {explain(failure)}{' '}
            {failure.code === 'CONVERSATION_OPEN' && <OtherOpen conversation={failure.conversation} onOpen={onClose} />}
          </li>
        ))}
      </ul>
      {run.failed_count > run.failures.length && <p>{texts.firstOnes(formatNumber(run.failures.length))}</p>}
    </Dialog>
  );
}

/** Leads to the other open conversation of the contact. */
function OtherOpen({ conversation, onOpen }: { conversation: string; onOpen(): void }): ReactElement | null {
  const { data } = useConversation(conversation);
  return data ? <OtherLink conversation={data} onOpen={onOpen} /> : null;
}

/** Nothing once that one was closed, too. */
function OtherLink({ conversation, onOpen }: { conversation: Conversation; onOpen(): void }): ReactElement | null {
  const { _id, contact, inbox } = conversation;
  const { items } = useConversations({ contact, inbox, open: true });
  const other = items.find((each) => each._id !== _id);
  return other ? <OpenConversationLink conversation={other._id} onOpen={onOpen} /> : null;
}

function ContactName({ conversation }: { conversation: string }): ReactElement {
  const { data } = useConversation(conversation);
  const { data: contact } = useContact(data?.contact ?? '');
  return <>{contact ? nameContact(contact) : conversation}</>;
}
