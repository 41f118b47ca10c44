/** What can be done with a conversation: who answers it, in which step it is, to put it aside, to close it. */
import type { Conversation, ConversationUpdate } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { askForTags } from '../../../frame/conversation-dialogs.ts';
import { useAgents, usePipelines, useUser, useUsersOf } from '../../../records/company.ts';
import { assignTo, changeStep, showConversation, useConversationChange } from '../../../records/conversations.ts';
import { formatMoment } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { useClosing } from '../../../ui/closing.ts';
import type { IconName } from '../../../ui/icon.tsx';
import { useMacrosOf } from '../../../ui/macros.ts';
import { Menu, type MenuItem } from '../../../ui/menu.tsx';
import { Person } from '../../../ui/person.tsx';
import { useIsNarrow } from '../../../ui/narrow.ts';
import { COMMON } from '../../../ui/texts.ts';
import { showError } from '../../../ui/toast.tsx';
import { STATUS_NAMES } from '../../../texts/conversation-states.ts';
import { findReturn, returnToComposer } from '../../../frame/writing.ts';
import { usePriorityItems } from '../priority-items.ts';
import { listStepItems } from '../step-items.ts';
import { useTeamItems } from '../team-items.ts';
import { DIALOGS } from './dialog-texts.ts';
import styles from './thread-head.module.css';
import { THREAD } from './texts.ts';
import { useTimeMenu } from './time-menu.tsx';

type Change = (update: ConversationUpdate) => void;

interface ThreadActionsProps {
  conversation: Conversation;
  /** What a phone has in the same menu. */
  more: readonly MenuItem[];
}

/** Buttons where there is room for them, and one menu on a phone. */
export function ThreadActions({ conversation, more }: ThreadActionsProps): ReactElement {
  const texts = useTexts(THREAD);
  const common = useTexts(COMMON);
  const change = useConversationChange(conversation._id);
  const apply: Change = (update) => change.mutate(update, { onError: showError });
  const owners = useOwnerItems(conversation, apply);
  const steps = useStepItems(conversation);
  const priorities = usePriorityItems(conversation.priority, (priority) => apply({ priority }));
  const macros = useMacroItems(conversation);
  const { dialog, ...times } = useWaitItems(conversation, apply);
  const { isClosed, isBusy, toggle } = useClosing(conversation);
  const end: MenuItem = {
    key: 'end',
    label: isClosed ? texts.reopen : texts.close,
    icon: isClosed ? 'refresh' : 'check',
    onSelect: () => {
      toggle();
      returnToComposer();
    },
  };
  const tags: MenuItem = {
    key: 'tags',
    label: useTexts(DIALOGS).changeTags,
    icon: 'tag',
    onSelect: () => askForTags(conversation._id),
  };
  if (useIsNarrow()) {
    const items = [
      { key: 'owner', label: texts.assign, items: owners },
      { key: 'times', label: times.title, items: times.items },
      { key: 'priority', label: texts.priority, items: priorities },
      tags,
      end,
      { key: 'step', label: texts.step, items: steps },
      { key: 'macros', label: texts.macros, items: macros },
      ...more,
    ];
    return (
      <>
        <Menu
          items={items.filter((item) => !('items' in item) || item.items.length > 0)}
          finalFocus={findReturn}
          trigger={<IconButton icon="more" label={common.more} />}
        />
        {dialog}
      </>
    );
  }
  return (
    <div className={styles['actions']}>
      <Menu
        title={texts.owner}
        items={owners}
        finalFocus={findReturn}
        trigger={<OwnerButton owner={conversation.owner} />}
      />
      <IconMenu title={texts.step} items={steps} icon="board" />
      <IconMenu title={texts.priority} items={priorities} icon="flag" isOn={conversation.priority !== null} />
      <Menu {...times} finalFocus={findReturn} trigger={<IconButton icon="clock" label={texts.putAside} />} />
      <IconMenu title={texts.macros} items={macros} icon="wand" />
      <Button
        kind={isClosed ? 'plain' : 'primary'}
        icon={isClosed ? 'refresh' : 'check'}
        isBusy={isBusy || change.isPending}
        title={end.label}
        onClick={end.onSelect}
      >
        <span className={styles['end']}>{end.label}</span>
      </Button>
      {dialog}
    </div>
  );
}

interface IconMenuProps {
  title: string;
  items: readonly MenuItem[];
  icon: IconName;
  isOn?: boolean;
}

/** A menu behind an icon; nothing where there is nothing to choose. */
function IconMenu({ title, items, icon, isOn }: IconMenuProps): ReactElement | null {
  if (items.length === 0) return null;
  return (
    <Menu
      title={title}
      items={items}
      finalFocus={findReturn}
      trigger={<IconButton icon={icon} label={title} {...(isOn !== undefined && { isOn })} />}
    />
  );
}

/** Lists the items of a menu under its title, in a menu of several. */
export const listUnder = ({ title, items }: { title: string; items: readonly MenuItem[] }): MenuItem[] =>
  under(title, items);

const under = (heading: string, items: readonly MenuItem[]): MenuItem[] =>
  items.map((item, index) => ({
    ...item,
    key: `${heading} ${item.key}`,
    ...(index === 0 ? { heading: item.heading === undefined ? heading : `${heading} · ${item.heading}` } : {}),
  }));

/** A menu gives properties to the component that opens it; the component has to hand them on to its button. */
function OwnerButton({ owner, ...trigger }: Pick<Conversation, 'owner'>): ReactElement {
  const texts = useTexts(THREAD);
  const person = useUser(owner);
  return person ? (
    <Button {...trigger}>
      <span className={styles['owner']}>
        <Person user={person} />
      </span>
    </Button>
  ) : (
    <Button icon="person" {...trigger}>
      {texts.assign}
    </Button>
  );
}

function useOwnerItems(conversation: Conversation, apply: Change): MenuItem[] {
  const { owner } = conversation;
  const texts = useTexts(THREAD);
  const users = useUsersOf(conversation.inbox);
  const items = users.map((user) => ({
    key: user._id,
    label: user.name,
    isChosen: user._id === owner,
    onSelect: () => apply(assignTo(user._id, conversation)),
  }));
  const nobody = {
    key: 'none',
    label: texts.nobody,
    isChosen: owner === null,
    onSelect: () => apply(assignTo(null, conversation)),
  };
  return [nobody, ...items, ...useAgentItems(conversation, apply), ...useTeamItems(conversation, apply)];
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

function useMacroItems({ _id: conversation }: Conversation): MenuItem[] {
  const { macros, run } = useMacrosOf(conversation);
  return macros.map((macro) => ({ key: macro._id, label: macro.name, onSelect: () => run(macro) }));
}

/** Moves the conversation to another step of a pipeline by the operation that is made for it. */
function useStepItems({ _id, step }: Conversation): MenuItem[] {
  const pipelines = usePipelines();
  const move = useMutation({
    mutationFn: (to: string) => changeStep(_id, to),
    onSuccess: showConversation,
    onError: showError,
  });
  return listStepItems(pipelines, step, (to) => move.mutate(to));
}

/** The times, and the other states in which a conversation can wait. */
function useWaitItems(
  { status, snoozed_until }: Conversation,
  apply: Change,
): { title: string; items: MenuItem[]; dialog: ReactElement | null } {
  const texts = useTexts(THREAD);
  const states = useTexts(STATUS_NAMES);
  const words = { title: texts.putAside, label: texts.until };
  const { items, dialog } = useTimeMenu(words, (until) => apply({ status: 'SNOOZED', snoozed_until: until }));
  const to = (next: 'PENDING' | 'OPEN', label = states[next]): MenuItem => ({
    key: next,
    label,
    isChosen: status === next,
    onSelect: () => apply({ status: next }),
  });
  if (snoozed_until === null) return { title: texts.putAside, items: [...items, to('PENDING'), to('OPEN')], dialog };
  const title = texts.asideUntil(formatMoment(snoozed_until));
  return { title, items: [to('OPEN', texts.endSnooze), ...items, to('PENDING')], dialog };
}
