/** The title of the list of a view: its count, its order, and what it is narrowed to. */
import type { ReactElement } from 'react';
import type { View } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { parley } from '../../client.ts';
import type { ConversationFilter } from '../../records/conversation-filters.ts';
import { useInboxes, usePipelines, useUserName } from '../../records/company.ts';
import { useSavedView } from '../../records/views.ts';
import { CHANNEL_NAMES } from '../../texts/channels.ts';
import { PRIORITIES, PRIORITY_NAMES, SLA_STATES, STATUS_NAMES } from '../../texts/conversation-states.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { saveFile } from '../../ui/download.ts';
import { Icon } from '../../ui/icon.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { showError } from '../../ui/toast.tsx';
import styles from './conversation-list.module.css';
import {
  chooseListSort,
  LIST_SORTS,
  toggleListFilter,
  useListOptions,
  useNarrowed,
  type ListFilter,
} from './list-options.ts';
import { SavedViewMenu, SaveView } from './saved-views.tsx';
import { INBOX } from './texts.ts';
import { VIEWS } from './view-texts.ts';
import { useCountView, useViewName, ViewMenu } from './view-list.tsx';

interface ListHeadProps {
  view: string;
  /** What the view shows before the list is narrowed. */
  filter: ConversationFilter;
  /** What is typed into the search of the list; empty for nothing. */
  search: string;
  isFolded: boolean;
}

export function ListHead({ view, filter, search, isFolded }: ListHeadProps): ReactElement {
  const texts = useTexts(INBOX);
  const saved = useSavedView(view);
  const { sort, isNarrowed, isChanged } = useListOptions(view);
  const whole = useCountView()(view);
  // The count is that of the whole view.
  const count = isNarrowed ? null : whole;
  const name = useViewName(view);
  const fixed = useFixedLabels(saved);
  const conditions = useConditions(view);
  const chosen = conditions.filter(({ isChosen }) => isChosen);
  return (
    <>
      <header className={styles['head']}>
        <h2 className={styles['name']} dir="auto">
          {isFolded ? <ViewMenu current={view} count={count} /> : name}
        </h2>
        {count !== null && !isFolded && <span className={styles['total']}>{count}</span>}
        <span className={styles['tools']}>
          <Menu
            title={texts.sortBy}
            items={LIST_SORTS.map((each) => ({
              key: each,
              label: texts[each],
              isChosen: each === sort,
              onSelect: () => chooseListSort(view, each, saved !== undefined),
            }))}
            trigger={
              <Button kind="quiet" icon="sort" aria-label={`${texts.sortBy}: ${texts[sort]}`}>
                <span className={styles['order']}>{texts[sort]}</span>
              </Button>
            }
          />
          <Menu
            title={texts.filter}
            items={conditions}
            trigger={<IconButton icon="filter" label={texts.filter} isOn={chosen.length > 0} />}
          />
          <ExportList {...{ view, filter, search }} />
          {saved && <SavedViewMenu key={saved._id} view={saved} />}
        </span>
      </header>
      {(chosen.length > 0 || isChanged || fixed.length > 0) && (
        <ul className={styles['chips']}>
          {fixed.map((label) => (
            <li key={label} className={styles['fixed']} dir="auto">
              {label}
            </li>
          ))}
          {chosen.map(({ key, label, onSelect }) => (
            <li key={key}>
              <button type="button" className={styles['chip']} aria-label={texts.without(label)} onClick={onSelect}>
                {label}
                <Icon name="close" size={12} />
              </button>
            </li>
          ))}
          {isChanged && (
            <li>
              <SaveView view={view} />
            </li>
          )}
        </ul>
      )}
    </>
  );
}

function ExportList({ view, filter, search }: Omit<ListHeadProps, 'isFolded'>): ReactElement {
  const texts = useTexts(INBOX);
  const { sort: _, ...shown } = useNarrowed(view, filter);
  const save = useMutation({
    mutationFn: async () =>
      saveFile(await parley.conversations.export({ ...shown, ...(search && { search }) }), 'conversations.csv'),
    onError: showError,
  });
  return (
    <IconButton icon="download" label={texts.exportList} disabled={save.isPending} onClick={() => save.mutate()} />
  );
}

/** Names the filters of a saved view that the menu does not have. */
function useFixedLabels(saved: View | undefined): string[] {
  const texts = useTexts(INBOX);
  const { tag: nameTag } = useTexts(VIEWS);
  const statuses = useTexts(STATUS_NAMES);
  const { filters } = saved ?? {};
  const owner = useUserName(filters?.owner ?? null);
  const inbox = useInboxes().find(({ _id }) => _id === filters?.inbox);
  const steps = usePipelines().flatMap((pipeline) => pipeline.steps);
  const step = steps.find(({ _id }) => _id === filters?.step);
  const owners = new Map([
    ['me', texts.mine],
    ['none', texts.unassigned],
  ]);
  const labels = [
    filters?.status && statuses[filters.status],
    owners.get(filters?.owner ?? '') ?? (owner === null ? null : texts.assignedTo(owner)),
    inbox?.name,
    step?.name,
    filters?.tag && nameTag(filters.tag),
  ];
  return labels.filter((label) => typeof label === 'string');
}

function useConditions(view: string): MenuItem[] {
  const texts = useTexts(INBOX);
  const priorities = useTexts(PRIORITY_NAMES);
  const { filter } = useListOptions(view);
  const { unread, priority, channel, sla } = filter;
  const states = useTexts(SLA_STATES);
  const toggle = (toggled: ListFilter) => (): void => toggleListFilter(view, filter, toggled);
  const channels = [...new Set(useInboxes().map((inbox) => inbox.channel))];
  return [
    {
      key: 'unread',
      label: texts.unread,
      isChosen: unread === true,
      onSelect: toggle({ unread: true }),
    },
    ...(['BREACHED', 'DUE_SOON'] as const).map((each) => ({
      key: each,
      label: states[each],
      isChosen: sla === each,
      onSelect: toggle({ sla: each }),
    })),
    ...PRIORITIES.map((each, index) => ({
      key: each,
      label: priorities[each],
      isChosen: priority === each,
      ...(index === 0 && { heading: texts.priority }),
      onSelect: toggle({ priority: each }),
    })),
    ...(channels.length < 2 ? [] : channels).map((each, index) => ({
      key: each,
      label: CHANNEL_NAMES[each],
      isChosen: channel === each,
      ...(index === 0 && { heading: texts.channel }),
      onSelect: toggle({ channel: each }),
    })),
  ];
}
