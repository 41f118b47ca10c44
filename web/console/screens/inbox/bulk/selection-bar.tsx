/** What can be done with the selected conversations: close, reopen, assign, move, snooze, tag. */
import type { ConversationChange } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useAgents, usePipelines, useUsers } from '../../../records/company.ts';
import { startConversationRun, useConversationTotal } from '../../../records/conversation-runs.ts';
import type { ConversationFilter } from '../../../records/conversations.ts';
import { formatNumber } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { IconButton } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Menu, type MenuItem } from '../../../ui/menu.tsx';
import { showError } from '../../../ui/toast.tsx';
import { useSnoozeMenu } from '../thread/snooze-menu.tsx';
import { THREAD } from '../thread/texts.ts';
import { listStepItems } from '../step-items.ts';
import styles from './bulk.module.css';
import type { Selection } from './selection.ts';
import { TagsDialog } from './tags-dialog.tsx';
import { BULK } from './texts.ts';

type Apply = (change: ConversationChange) => void;

export function SelectionBar({
  selection,
  filter,
}: {
  selection: Selection;
  filter: ConversationFilter;
}): ReactElement {
  const texts = useTexts(BULK);
  const total = useConversationTotal(filter);
  const [asked, ask] = useState<ConversationChange | null>(null);
  const { ids, isAll, clear, selectAll } = selection;
  const begin = async (change: ConversationChange): Promise<void> => {
    await startConversationRun(isAll ? { filter } : { ids: [...ids] }, change);
    clear();
  };
  const start = useMutation({ mutationFn: begin, onError: showError });
  const apply: Apply = (change) => (isAll ? ask(change) : start.mutate(change));
  const count = formatNumber(isAll ? (total ?? ids.length) : ids.length);
  return (
    <section className={styles['bar']} aria-label={texts.selected(count)}>
      <p className={styles['line']}>
        <span role="status">{texts.selected(count)}</span>
        <span className={styles['end']}>
          <IconButton icon="close" label={texts.clear} onClick={clear} />
        </span>
      </p>
      {!isAll && total !== null && total > ids.length && (
        <button type="button" className={styles['all']} onClick={selectAll}>
          {texts.selectAll(formatNumber(total))}
        </button>
      )}
      <Actions apply={apply} isBusy={start.isPending} />
      {asked && (
        <ConfirmDialog
          title={texts.confirm(texts[nameChange(asked)](count))}
          lead={texts.confirmLead}
          action={texts[nameChange(asked)](count)}
          act={() => begin(asked)}
          onDone={() => ask(null)}
          onClose={() => ask(null)}
        />
      )}
    </section>
  );
}

/** The text that says what a change does. */
function nameChange(
  change: ConversationChange,
): 'closeAll' | 'reopenAll' | 'snoozeAll' | 'moveAll' | 'tagAll' | 'assignAll' {
  if (change.status === 'CLOSED') return 'closeAll';
  if (change.status === 'SNOOZED') return 'snoozeAll';
  if (change.status !== undefined) return 'reopenAll';
  if (change.step !== undefined) return 'moveAll';
  return change.add_tags || change.remove_tags ? 'tagAll' : 'assignAll';
}

function Actions({ apply, isBusy }: { apply: Apply; isBusy: boolean }): ReactElement {
  const texts = useTexts(THREAD);
  const [isTagging, tag] = useState(false);
  const snooze = useSnoozeMenu((until) => apply({ status: 'SNOOZED', snoozed_until: until }));
  const stepItems = listStepItems(usePipelines(), null, (step) => apply({ step }));
  return (
    <div className={styles['actions']}>
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
        title={texts.putAside}
        items={snooze.items}
        trigger={<IconButton icon="clock" label={texts.putAside} disabled={isBusy} />}
      />
      <IconButton icon="tag" label={useTexts(BULK).tags} disabled={isBusy} onClick={() => tag(true)} />
      {snooze.dialog}
      {isTagging && <TagsDialog apply={apply} onClose={() => tag(false)} />}
    </div>
  );
}

function useOwnerItems(apply: Apply): MenuItem[] {
  const texts = useTexts(THREAD);
  const users = useUsers().filter(({ status }) => status === 'ACTIVE');
  const agents = useAgents().filter(({ status }) => status === 'ACTIVE');
  return [
    { key: 'none', label: texts.nobody, onSelect: () => apply({ owner: null }) },
    ...users.map(({ _id, name }) => ({ key: _id, label: name, onSelect: () => apply({ owner: _id }) })),
    ...agents.map(({ _id, name }): MenuItem => {
      return { key: _id, label: name, icon: 'agent', onSelect: () => apply({ agent: _id, handled_by: 'AI' }) };
    }),
  ];
}
