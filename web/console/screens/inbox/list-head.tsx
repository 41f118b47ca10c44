/** The title of the list of a view: its count, its order, and what it is narrowed to. */
import type { ReactElement } from 'react';
import { useInboxes } from '../../records/company.ts';
import { useCounts } from '../../records/conversations.ts';
import { CHANNEL_NAMES } from '../../texts/channels.ts';
import { PRIORITIES, PRIORITY_NAMES } from '../../texts/conversation-states.ts';
import { formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import styles from './conversation-list.module.css';
import { chooseListSort, LIST_SORTS, toggleListFilter, useListFilter, useListSort } from './list-options.ts';
import { INBOX } from './texts.ts';
import { useViewName } from './view-list.tsx';
import { countOf } from './views.ts';

export function ListHead({ view }: { view: string }): ReactElement {
  const texts = useTexts(INBOX);
  const sort = useListSort(view);
  const count = countOf(view, useCounts().data);
  const conditions = useConditions(view);
  const chosen = conditions.filter(({ isChosen }) => isChosen);
  return (
    <>
      <header className={styles['head']}>
        <h2 className={styles['name']} dir="auto">
          {useViewName(view)}
        </h2>
        {count !== null && count > 0 && <span className={styles['total']}>{formatNumber(count)}</span>}
        <span className={styles['tools']}>
          <Menu
            title={texts.sortBy}
            items={LIST_SORTS.map((each) => ({
              key: each,
              label: texts[each],
              isChosen: each === sort,
              onSelect: () => chooseListSort(view, each),
            }))}
            trigger={
              <Button kind="quiet" icon="sort" aria-label={`${texts.sortBy}: ${texts[sort]}`}>
                {texts[sort]}
              </Button>
            }
          />
          <Menu
            title={texts.filter}
            items={conditions}
            trigger={<IconButton icon="filter" label={texts.filter} isOn={chosen.length > 0} />}
          />
        </span>
      </header>
      {chosen.length > 0 && (
        <ul className={styles['chips']}>
          {chosen.map(({ key, label, onSelect }) => (
            <li key={key}>
              <button type="button" className={styles['chip']} aria-label={texts.without(label)} onClick={onSelect}>
                {label}
                <Icon name="close" size={12} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function useConditions(view: string): MenuItem[] {
  const texts = useTexts(INBOX);
  const priorities = useTexts(PRIORITY_NAMES);
  const { unread, priority, channel } = useListFilter(view);
  const channels = [...new Set(useInboxes().map((inbox) => inbox.channel))];
  return [
    {
      key: 'unread',
      label: texts.unread,
      isChosen: unread === true,
      onSelect: () => toggleListFilter(view, 'unread', true),
    },
    ...PRIORITIES.map((each, index) => ({
      key: each,
      label: priorities[each],
      isChosen: priority === each,
      ...(index === 0 && { heading: texts.priority }),
      onSelect: () => toggleListFilter(view, 'priority', each),
    })),
    ...(channels.length < 2 ? [] : channels).map((each, index) => ({
      key: each,
      label: CHANNEL_NAMES[each],
      isChosen: channel === each,
      ...(index === 0 && { heading: texts.channel }),
      onSelect: () => toggleListFilter(view, 'channel', each),
    })),
  ];
}
