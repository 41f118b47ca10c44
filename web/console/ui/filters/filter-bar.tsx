/** The filters of the list as one sentence, whose parts can be changed and removed. */
import { useState, type ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';
import styles from './filter-bar.module.css';
import { FilterDialog } from './filter-dialog.tsx';
import { MOST_FILTERS, useSentences, type Filter, type Filterable } from './filters.ts';
import { FILTERS } from './texts.ts';

interface FilterBarProps {
  filterable: Filterable;
  filters: readonly Filter[];
  onChange(filters: readonly Filter[]): void;
}

export function FilterBar({ filterable, filters, onChange }: FilterBarProps): ReactElement {
  const texts = useTexts(FILTERS);
  const write = useSentences(filterable.fields);
  /** The place of the filter that is changed; the place behind the last one is a new filter. */
  const [edited, edit] = useState<number | null>(null);
  const apply = (filter: Filter): void => {
    onChange(edited === null || edited === filters.length ? [...filters, filter] : filters.with(edited, filter));
    edit(null);
  };
  return (
    <div className={styles['bar']} role="group" aria-label={texts.filters}>
      {filters.length > 0 && <span>{filterable.where}</span>}
      {filters.map((filter, index) => (
        <span key={`${index}:${JSON.stringify(filter)}`} className={styles['part']}>
          {index > 0 && <span>{texts.and}</span>}
          <FilterChip
            sentence={write(filter)}
            onEdit={() => edit(index)}
            onRemove={() => onChange(filters.toSpliced(index, 1))}
          />
        </span>
      ))}
      {filters.length < MOST_FILTERS && (
        <Button kind="quiet" icon="filter" onClick={() => edit(filters.length)}>
          {texts.add}
        </Button>
      )}
      {filters.length > 1 && (
        <Button kind="quiet" onClick={() => onChange([])}>
          {texts.removeAll}
        </Button>
      )}
      {edited !== null && (
        <FilterDialog
          filterable={filterable}
          filter={filters[edited] ?? null}
          onApply={apply}
          onClose={() => edit(null)}
        />
      )}
    </div>
  );
}

interface FilterChipProps {
  sentence: string;
  onEdit(): void;
  onRemove(): void;
}

function FilterChip({ sentence, onEdit, onRemove }: FilterChipProps): ReactElement {
  const label = useTexts(FILTERS).removeFilter(sentence);
  return (
    <span className={styles['chip']}>
      <button type="button" className={styles['sentence']} onClick={onEdit}>
        {sentence}
      </button>
      <button type="button" className={styles['remove']} aria-label={label} title={label} onClick={onRemove}>
        <Icon name="close" size={14} />
      </button>
    </span>
  );
}
