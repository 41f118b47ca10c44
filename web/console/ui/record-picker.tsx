/**
 * Finds one record by a search, and chooses it: Enter chooses the first, once the search for what is typed is over, and the arrows go through
 * the list.
 */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState, type KeyboardEvent, type ReactElement } from 'react';
import { useTexts } from '../texts/texts.ts';
import { explainError } from './problem.ts';
import styles from './record-picker.module.css';
import { SearchField } from './search-field.tsx';
import { COMMON } from './texts.ts';

export interface RecordPickerProps<T> {
  label: string;
  /** The noun of the records, for example `businesses`. */
  noun: string;
  search(text: string | undefined, signal: AbortSignal): Promise<readonly T[]>;
  name(record: T): string;
  /** What distinguishes records of the same name. */
  about(record: T): string | null;
  onChoose(record: T): void;
}

export function RecordPicker<T extends { _id: string }>(props: RecordPickerProps<T>): ReactElement {
  const { label, noun, search, name, about, onChoose } = props;
  const id = useId();
  const texts = useTexts(COMMON);
  const [text, setText] = useState('');
  // What was typed when Enter was pressed before its search was over.
  const [awaited, setAwaited] = useState<string | null>(null);
  const {
    data: found,
    error,
    isPlaceholderData: isOld,
  } = useQuery({
    queryKey: ['picker', noun, text],
    queryFn: ({ signal }) => search(text || undefined, signal),
    // Otherwise what somebody is about to press would vanish while they search.
    placeholderData: keepPreviousData,
  });
  const isFound = found !== undefined && !isOld;
  useEffect(() => {
    if (awaited !== text || !isFound) return;
    setAwaited(null);
    if (found[0]) onChoose(found[0]);
  }, [awaited, text, isFound, found, onChoose]);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const { target, currentTarget, key } = event;
    const places = [...currentTarget.querySelectorAll<HTMLElement>('input, button')];
    const at = places.indexOf(target as HTMLElement);
    const next = key === 'ArrowDown' ? places[at + 1] : key === 'ArrowUp' ? places[at - 1] : undefined;
    const typed = key === 'Enter' && at === 0 ? (target as HTMLInputElement).value.trim() : null;
    const isEarly = typed !== null && (typed !== text || !isFound);
    const first = typed !== null && !isEarly && found?.[0];
    setAwaited(isEarly ? typed : null);
    if (!next && !first && !isEarly) return;
    event.preventDefault();
    event.stopPropagation();
    if (first) onChoose(first);
    else next?.focus();
  };
  return (
    <div className={styles['picker']} role="group" aria-labelledby={id} onKeyDown={onKeyDown}>
      <p id={id} className={styles['label']}>
        {label}
      </p>
      <SearchField label={texts.search} value={text} onSearch={setText} />
      {error && <p role="alert">{explainError(error)}</p>}
      {found?.length === 0 && <p className={styles['nothing']}>{texts.nothingFound}</p>}
      <ul className={styles['found']}>
        {found?.map((record) => (
          <li key={record._id}>
            <button type="button" className={styles['record']} onClick={() => onChoose(record)}>
              <span dir="auto">{name(record)}</span>
              <span className={styles['about']}>{about(record)}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
