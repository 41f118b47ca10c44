/** Chooses the segment that the list of contacts shows, and saves what the list shows as one. */
import type { Segment } from '@parley/sdk';
import type { ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { MOST_COUNTED } from '../../../records/saved.ts';
import { SEGMENTS } from '../../../records/segments.ts';
import { formatNumber } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Menu, type MenuItem } from '../../../ui/menu.tsx';
import type { SavedKind } from '../../../ui/saved/kind.ts';
import { readFilters, writeFilters } from '../../../ui/filters/filters.ts';
import { SaveButton, SavedMenu } from '../../../ui/saved/saved.tsx';
import type { ListState } from '../list-state.ts';
import styles from '../contacts.module.css';
import { SEGMENT_TEXTS } from './texts.ts';

const useKind = (): SavedKind<Segment> => ({
  store: SEGMENTS,
  texts: useTexts(SEGMENT_TEXTS),
  share: 'contacts:update',
});

export function Segments({ list }: { list: ListState }): ReactElement {
  const texts = useTexts(SEGMENT_TEXTS);
  const kind = useKind();
  const items = useItems(list);
  const current = SEGMENTS.use().find(({ _id }) => _id === list.segment);
  const { choice } = list;
  const isFiltered = choice.search !== undefined || choice.filters !== undefined;
  const isChanged = current !== undefined && !isSame(current.filters, choice);
  return (
    <div className={styles['segments']}>
      {items.length > 1 && (
        <Menu
          title={texts.segments}
          items={items}
          trigger={
            <Button aria-label={`${texts.segments}: ${current?.name ?? texts.all}`}>
              <span dir="auto">{current?.name ?? texts.all}</span>
              <Icon name="down" size={16} />
            </Button>
          }
        />
      )}
      {current && <SavedMenu key={current._id} {...kind} saved={current} onRemoved={() => list.open(null)} />}
      {isFiltered && (!current || isChanged) && (
        <SaveButton<Segment>
          {...kind}
          saved={current}
          update={({ _id }) => parley.segments.update(_id, { filters: choice })}
          create={(given) => parley.segments.create({ filters: choice, ...given })}
          onSaved={list.open}
        />
      )}
    </div>
  );
}

/** A segment that was made through the API may write the same filters in another way. */
const isSame = (a: Segment['filters'], b: Segment['filters']): boolean =>
  (a.search ?? '') === (b.search ?? '') && normalise(a) === normalise(b);

const normalise = ({ filters }: Segment['filters']): string | undefined => writeFilters(readFilters(filters ?? null));

function useItems({ segment, open }: ListState): MenuItem[] {
  const texts = useTexts(SEGMENT_TEXTS);
  const counts = SEGMENTS.useCounts();
  const all = SEGMENTS.use();
  const write = (id: string): string | null => {
    const count = counts?.get(id);
    return count === undefined ? null : `${formatNumber(count)}${count >= MOST_COUNTED ? '+' : ''}`;
  };
  const listed = (isShared: boolean): MenuItem[] =>
    all
      .filter(({ is_shared }) => is_shared === isShared)
      .map((each, index) => ({
        key: each._id,
        label: each.name,
        count: write(each._id),
        isChosen: each._id === segment,
        ...(index === 0 && { heading: isShared ? texts.shared : texts.own }),
        onSelect: () => open(each),
      }));
  const whole = { key: 'all', label: texts.all, isChosen: segment === null, onSelect: () => open(null) };
  return [whole, ...listed(false), ...listed(true)];
}
