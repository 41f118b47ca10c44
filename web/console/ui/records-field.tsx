/** Chooses several records, each by a search. */
import { useState, type ComponentType, type ReactElement } from 'react';
import { useTexts } from '../texts/texts.ts';
import { Button, IconButton } from './button.tsx';
import { RecordPicker, type RecordPickerProps } from './record-picker.tsx';
import styles from './records-field.module.css';
import { COMMON } from './texts.ts';

export interface ChosenProps {
  id: string;
  onRemove?: (() => void) | undefined;
}

interface RecordsFieldProps<T> extends Omit<RecordPickerProps<T>, 'label' | 'onChoose'> {
  /** What the list of the chosen records is called. */
  label: string;
  /** What the button says that begins a search. */
  add: string;
  ids: readonly string[];
  /** Shows one of the chosen records as a `ChosenRecord`. */
  Chosen: ComponentType<ChosenProps>;
  onChange(ids: string[]): void;
  isLocked?: boolean;
}

export function RecordsField<T extends { _id: string }>(props: RecordsFieldProps<T>): ReactElement {
  const { label, add, ids, Chosen, onChange, isLocked = false, ...picker } = props;
  const [isSearching, search] = useState(false);
  return (
    <>
      {ids.length > 0 && (
        <ul className={styles['chosen']} aria-label={label}>
          {ids.map((id) => (
            <Chosen
              key={id}
              id={id}
              onRemove={isLocked ? undefined : () => onChange(ids.filter((each) => each !== id))}
            />
          ))}
        </ul>
      )}
      {isSearching && (
        <RecordPicker
          {...picker}
          label={add}
          onChoose={({ _id }) => {
            onChange([...new Set([...ids, _id])]);
            search(false);
          }}
        />
      )}
      {!isSearching && !isLocked && (
        <div>
          <Button icon="plus" onClick={() => search(true)}>
            {add}
          </Button>
        </div>
      )}
    </>
  );
}

export function ChosenRecord({ name, onRemove }: Pick<ChosenProps, 'onRemove'> & { name: string }): ReactElement {
  const common = useTexts(COMMON);
  return (
    <li>
      <span dir="auto">{name}</span>
      {onRemove && <IconButton icon="close" label={`${common.remove}: ${name}`} onClick={onRemove} />}
    </li>
  );
}
