/** What can be done with the selected conversations: close, reopen, assign, move, snooze, tag, set the priority, mark as unread, run a macro. */
import type { Conversation, Macro } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useOfferedCommands } from '../../../frame/selected-commands.ts';
import { useAgents, useMacros, usePipelines, useUsers } from '../../../records/company.ts';
import {
  readAllConversations,
  startConversationRun,
  useConversationTotal,
  type ConversationAct,
  type ConversationChoice,
} from '../../../records/conversation-runs.ts';
import type { ConversationFilter } from '../../../records/conversation-filters.ts';
import { assignTo } from '../../../records/conversations.ts';
import { formatNumber } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import type { Selection } from '../../../ui/bulk/selection.ts';
import { SelectionFrame } from '../../../ui/bulk/selection-frame.tsx';
import { TagsDialog } from '../../../ui/bulk/tags-dialog.tsx';
import { BULK } from '../../../ui/bulk/texts.ts';
import { IconButton } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Menu, type MenuItem } from '../../../ui/menu.tsx';
import { showError } from '../../../ui/toast.tsx';
import { useTimeMenu } from '../thread/time-menu.tsx';
import { THREAD } from '../thread/texts.ts';
import { usePriorityItems } from '../priority-items.ts';
import { listStepItems } from '../step-items.ts';
import { useTeamItems } from '../team-items.ts';
import { describeAct } from './change-name.ts';
import { CONVERSATION_CHANGES } from './texts.ts';

type Apply = (change: ConversationAct) => void;

export function SelectionBar({
  selection,
  filter,
}: {
  selection: Selection<Conversation>;
  filter: ConversationFilter;
}): ReactElement {
  const bulk = useTexts(BULK);
  const texts = useTexts(CONVERSATION_CHANGES);
  const macros = useMacros();
  const total = useConversationTotal(filter);
  // The conversations that the question is about; null while they are all that match when the change begins.
  const [asked, ask] = useState<{ act: ConversationAct; conversations: readonly Conversation[] | null } | null>(null);
  const { items, isAll, clear } = selection;
  const begin = async (act: ConversationAct, choice: ConversationChoice): Promise<void> => {
    await startConversationRun(choice, act);
    // The others stay selected for the next change. With another status they leave the list, and others may match a filter by then.
    if (isAll || setsStatus(act)) clear();
  };
  const apply = useMutation({
    mutationFn: async (act: ConversationAct) => {
      if (isAll) return ask({ act, conversations: await readAllConversations(filter) });
      // What a macro writes to the contacts cannot be taken back.
      return 'macro' in act ? ask({ act, conversations: items }) : begin(act, { conversations: items });
    },
    onError: showError,
  });
  // How many the action is about; null while that is not known.
  const count = isAll ? total : items.length;
  const describe = (act: ConversationAct, many: number): string => describeAct(texts, act, ['All', formatNumber(many)]);
  const askedCount = asked?.conversations?.length ?? count;
  const action = asked && askedCount !== null && describe(asked.act, askedCount);
  const canUndo = asked && !('macro' in asked.act) && asked.act.status === 'CLOSED' && asked.conversations !== null;
  const lead = isAll ? texts.confirmLead : texts.macroLead;
  useOfferedCommands(
    macros.flatMap((macro) =>
      count === null
        ? []
        : [{ key: `all ${macro._id}`, label: describe({ macro }, count), run: () => apply.mutate({ macro }) }],
    ),
  );
  return (
    <SelectionFrame
      selection={selection}
      total={total}
      actions={<Actions apply={apply.mutate} macros={macros} isBusy={apply.isPending || count === null} />}
    >
      {asked && action && (
        <ConfirmDialog
          title={bulk.confirm(action)}
          lead={canUndo ? lead : `${lead} ${bulk.notUndone}`}
          action={action}
          act={() => begin(asked.act, asked.conversations ? { conversations: asked.conversations } : { filter })}
          onDone={() => ask(null)}
          onClose={() => ask(null)}
        />
      )}
    </SelectionFrame>
  );
}

/** Whether the conversations can leave the list by it. */
function setsStatus(act: ConversationAct): boolean {
  if (!('macro' in act)) return act.status !== undefined;
  const { status, snooze_minutes } = act.macro.actions;
  return status !== undefined || snooze_minutes !== undefined;
}

interface ActionsProps {
  apply: Apply;
  macros: readonly Macro[];
  isBusy: boolean;
}

function Actions({ apply, macros, isBusy }: ActionsProps): ReactElement {
  const texts = useTexts(THREAD);
  const [isTagging, tag] = useState(false);
  const snooze = useTimeMenu({ title: texts.putAside, label: texts.until }, (until) =>
    apply({ status: 'SNOOZED', snoozed_until: until }),
  );
  const stepItems = listStepItems(usePipelines(), null, (step) => apply({ step }));
  return (
    <>
      <IconButton icon="check" label={texts.close} disabled={isBusy} onClick={() => apply({ status: 'CLOSED' })} />
      <IconButton icon="refresh" label={texts.reopen} disabled={isBusy} onClick={() => apply({ status: 'OPEN' })} />
      <Menu
        title={texts.assign}
        items={useOwnerItems(apply)}
        trigger={<IconButton icon="person" label={texts.assign} disabled={isBusy} />}
      />
      {stepItems.length > 0 && (
        <Menu
          title={texts.step}
          items={stepItems}
          trigger={<IconButton icon="board" label={texts.step} disabled={isBusy} />}
        />
      )}
      <Menu
        title={texts.priority}
        items={usePriorityItems(undefined, (priority) => apply({ priority }))}
        trigger={<IconButton icon="flag" label={texts.priority} disabled={isBusy} />}
      />
      <Menu
        title={texts.putAside}
        items={snooze.items}
        trigger={<IconButton icon="clock" label={texts.putAside} disabled={isBusy} />}
      />
      <IconButton icon="tag" label={useTexts(BULK).tags} disabled={isBusy} onClick={() => tag(true)} />
      <IconButton icon="unread" label={texts.markUnread} disabled={isBusy} onClick={() => apply({ unread: true })} />
      {macros.length > 0 && (
        <Menu
          title={texts.macros}
          items={macros.map((macro) => ({ key: macro._id, label: macro.name, onSelect: () => apply({ macro }) }))}
          trigger={<IconButton icon="wand" label={texts.macros} disabled={isBusy} />}
        />
      )}
      {snooze.dialog}
      {isTagging && <TagsDialog apply={apply} onClose={() => tag(false)} />}
    </>
  );
}

function useOwnerItems(apply: Apply): MenuItem[] {
  const texts = useTexts(THREAD);
  const users = useUsers().filter(({ status }) => status === 'ACTIVE');
  const agents = useAgents().filter(({ status }) => status === 'ACTIVE');
  return [
    { key: 'none', label: texts.nobody, onSelect: () => apply({ owner: null }) },
    ...users.map(({ _id, name }) => ({
      key: _id,
      label: name,
      onSelect: () => apply(assignTo(_id, { handled_by: 'AI' })),
    })),
    ...agents.map(({ _id, name }): MenuItem => {
      return { key: _id, label: name, icon: 'agent', onSelect: () => apply({ agent: _id, handled_by: 'AI' }) };
    }),
    ...useTeamItems(null, apply),
  ];
}
