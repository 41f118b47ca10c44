/** What can be done with a conversation: who answers it, in which step it is, to put it aside, to close it. */
import type { Conversation, ConversationUpdate } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { useAgents, usePipelines, useUser, useUsers } from '../../../records/company.ts';
import { showConversation, useConversationChange } from '../../../records/conversations.ts';
import { formatMoment } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Menu, type MenuItem } from '../../../ui/menu.tsx';
import { Person } from '../../../ui/person.tsx';
import { showError } from '../../../ui/toast.tsx';
import { STATUS_NAMES } from '../../../texts/conversation-states.ts';
import { snoozeTimes } from './snooze.ts';
import styles from './thread-head.module.css';
import { THREAD } from './texts.ts';

type Change = (update: ConversationUpdate) => void;

export function ThreadActions({ conversation }: { conversation: Conversation }): ReactElement {
  const texts = useTexts(THREAD);
  const change = useConversationChange(conversation._id);
  const apply: Change = (update) => change.mutate(update, { onError: showError });
  const isClosed = conversation.status === 'CLOSED';
  return (
    <div className={styles['actions']}>
      <OwnerMenu conversation={conversation} apply={apply} />
      <StepMenu conversation={conversation} />
      <SnoozeMenu conversation={conversation} apply={apply} />
      <Button
        kind={isClosed ? 'plain' : 'primary'}
        icon={isClosed ? 'refresh' : 'check'}
        isBusy={change.isPending}
        onClick={() => apply({ status: isClosed ? 'OPEN' : 'CLOSED' })}
      >
        {isClosed ? texts.reopen : texts.close}
      </Button>
    </div>
  );
}

function OwnerMenu({ conversation, apply }: { conversation: Conversation; apply: Change }): ReactElement {
  const { owner } = conversation;
  const texts = useTexts(THREAD);
  const users = useUsers().filter(({ status }) => status === 'ACTIVE');
  const person = useUser(owner);
  const items = users.map((user) => ({
    key: user._id,
    label: user.name,
    isChosen: user._id === owner,
    onSelect: () => apply({ owner: user._id }),
  }));
  const nobody = {
    key: 'none',
    label: texts.nobody,
    isChosen: owner === null,
    onSelect: () => apply({ owner: null }),
  };
  return (
    <Menu
      title={texts.owner}
      items={[nobody, ...items, ...useAgentItems(conversation, apply)]}
      trigger={
        person ? (
          <Button>
            <Person user={person} />
          </Button>
        ) : (
          <Button icon="person">{texts.assign}</Button>
        )
      }
    />
  );
}

/** The agents that may answer instead of a person. */
function useAgentItems({ agent, handled_by }: Conversation, apply: Change): MenuItem[] {
  const agents = useAgents().filter(({ status }) => status === 'ACTIVE');
  return agents.map(({ _id, name }) => ({
    key: _id,
    label: name,
    icon: 'agent',
    isChosen: handled_by === 'AI' && agent === _id,
    onSelect: () => apply({ agent: _id, handled_by: 'AI' }),
  }));
}

/** Moves the conversation to another step of a pipeline by the operation that is made for it. */
function StepMenu({ conversation: { _id, step } }: { conversation: Conversation }): ReactElement | null {
  const texts = useTexts(THREAD);
  const steps = usePipelines().flatMap((pipeline) => pipeline.steps);
  const move = useMutation({
    mutationFn: (to: string) => parley.conversations.changeStep(_id, { step: to }),
    onSuccess: showConversation,
    onError: showError,
  });
  if (steps.length === 0) return null;
  const items = steps.map((each) => ({
    key: each._id,
    label: each.name,
    isChosen: each._id === step,
    onSelect: () => move.mutate(each._id),
  }));
  return <Menu title={texts.step} items={items} trigger={<IconButton icon="board" label={texts.step} />} />;
}

function SnoozeMenu({ conversation, apply }: { conversation: Conversation; apply: Change }): ReactElement {
  const texts = useTexts(THREAD);
  const states = useTexts(STATUS_NAMES);
  const { status, snoozed_until } = conversation;
  const { hour, tomorrow, monday } = snoozeTimes();
  const until = (key: string, label: string, at: string): MenuItem => ({
    key,
    label: `${label} · ${formatMoment(at)}`,
    icon: 'clock',
    onSelect: () => apply({ status: 'SNOOZED', snoozed_until: at }),
  });
  const items: MenuItem[] = [
    until('hour', texts.inAnHour, hour),
    until('tomorrow', texts.tomorrow, tomorrow),
    until('monday', texts.monday, monday),
    {
      key: 'pending',
      label: states.PENDING,
      isChosen: status === 'PENDING',
      onSelect: () => apply({ status: 'PENDING' }),
    },
    { key: 'open', label: states.OPEN, isChosen: status === 'OPEN', onSelect: () => apply({ status: 'OPEN' }) },
  ];
  const title = snoozed_until === null ? texts.putAside : texts.asideUntil(formatMoment(snoozed_until));
  return <Menu title={title} items={items} trigger={<IconButton icon="clock" label={texts.putAside} />} />;
}
