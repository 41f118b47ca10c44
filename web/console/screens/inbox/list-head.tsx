/** The title of the list of a view: its count, its order, and what it is narrowed to. */
import type { ReactElement } from 'react';
import { useMutation } from '@tanstack/react-query';
import { parley } from '../../client.ts';
import type { ConversationFilter } from '../../records/conversation-filters.ts';
import { useSavedView } from '../../records/views.ts';
import { STATUS_NAMES } from '../../texts/conversation-states.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { saveFile } from '../../ui/download.ts';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { showError } from '../../ui/toast.tsx';
import styles from './conversation-list.module.css';
import { useListFilters } from './list-filters.tsx';
import { chooseListSort, LIST_SORTS, useListOptions, useNarrowed } from './list-options.ts';
import { SavedViewMenu, SaveView } from './saved-views.tsx';
import { INBOX } from './texts.ts';
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
  const statuses = useTexts(STATUS_NAMES);
  const { items, chips: chosen, dialog } = useListFilters(view, filter);
  const sortBy = (each: (typeof LIST_SORTS)[number]): void => chooseListSort(view, each, saved !== undefined);
  const order = `${texts.sortBy}: ${texts[sort]}`;
  // In the order of waiting the list is narrowed, too.
  const waiting = { key: 'waiting', label: texts.waitingOnly, onRemove: () => sortBy('-last_message_at') };
  const isWaiting = sort === 'waiting_since' && !chosen.some(({ key }) => key.includes('waiting_longer_than'));
  const chips = isWaiting ? [waiting, ...chosen] : chosen;
  // The menu has no status: it is what tells views from each other.
  const status = saved?.filters.status;
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
              onSelect: () => sortBy(each),
            }))}
            trigger={
              <Button kind="quiet" icon="sort" title={order} aria-label={order}>
                <span className={styles['order']}>{texts[sort]}</span>
              </Button>
            }
          />
          <Menu
            title={texts.filter}
            items={items}
            trigger={<IconButton icon="filter" label={texts.filter} isOn={chosen.length > 0} />}
          />
          <ExportList {...{ view, filter, search }} />
          {saved && <SavedViewMenu key={saved._id} view={saved} />}
        </span>
      </header>
      {dialog}
      {(chips.length > 0 || isChanged || status !== undefined) && (
        <ul className={styles['chips']}>
          {status !== undefined && <li className={styles['fixed']}>{statuses[status]}</li>}
          {chips.map(({ key, label, onRemove }) => (
            <li key={key}>
              <button type="button" className={styles['chip']} aria-label={texts.without(label)} onClick={onRemove}>
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
