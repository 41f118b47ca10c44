/** How far the change of the selected conversations is, and which could not be changed. */
import type { Conversation, ConversationRun } from '@parley/sdk';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { nameContact, useContact } from '../../../records/contacts.ts';
import { CONVERSATION_RUNS, listClosed, undoClosing } from '../../../records/conversation-runs.ts';
import { useConversation, useConversations } from '../../../records/conversations.ts';
import { useTexts } from '../../../texts/texts.ts';
import { RunBar } from '../../../ui/bulk/run-bar.tsx';
import { Button } from '../../../ui/button.tsx';
import { OpenConversationLink } from '../../../ui/open-conversation-link.tsx';
import { COMMON } from '../../../ui/texts.ts';
import { showError } from '../../../ui/toast.tsx';
import { describeAct } from './change-name.ts';
import { CONVERSATION_CHANGES } from './texts.ts';

type Failure = ConversationRun['failures'][number];

export function RunProgress({ view }: { view: string }): ReactElement {
  const texts = useTexts(CONVERSATION_CHANGES);
  return (
    <RunBar<Failure, ConversationRun>
      runs={CONVERSATION_RUNS}
      describe={({ change, macro }, count) => describeAct(texts, macro ? { macro } : (change ?? {}), ['Done', count])}
      undo={(run) => <UndoClosing run={run} />}
      failure={({ conversation, code }, close) => ({
        key: conversation,
        record: (
          <Link href={`/${view}/${conversation}`} onClick={close}>
            <ContactName conversation={conversation} />
          </Link>
        ),
        help: code === 'CONVERSATION_OPEN' && <OtherOpen conversation={conversation} onOpen={close} />,
      })}
    />
  );
}

function UndoClosing({ run }: { run: ConversationRun }): ReactElement | null {
  const common = useTexts(COMMON);
  const closed = listClosed(run);
  if (closed.length === 0) return null;
  return (
    <Button kind="quiet" onClick={() => void undoClosing(closed).catch(showError)}>
      {common.undo}
    </Button>
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
