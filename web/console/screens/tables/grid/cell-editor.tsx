/** Changes the value of a cell in its place. Enter, Tab and leaving it take the change, Escape does not. */
import type { Column } from '@parley/sdk';
import { useEffect, useRef, useState, type KeyboardEvent, type ReactElement } from 'react';
import { useTexts } from '../../../texts/texts.ts';
import { isComposing } from '../../../ui/confirming.ts';
import { CheckField } from '../../../ui/field.tsx';
import { COMMON } from '../../../ui/texts.ts';
import type { Step } from './cursor.ts';
import styles from './grid.module.css';
import { isLimited, toText, toValue, type CellValue } from './values.ts';

interface CellEditorProps {
  column: Column;
  value: CellValue;
  /** The letter that began the change and takes the place of the value; null keeps the value. */
  typed: string | null;
  /** Without a step the cursor stays where the person puts it. */
  onTake(value: CellValue, step: Step | null): void;
  onLeave(): void;
}

/** Returns where a key leads that ends the change; null for all other keys. */
function findStep({ key, shiftKey }: KeyboardEvent): Step | null {
  if (key === 'Enter' && !shiftKey) return { rows: 1, columns: 0 };
  return key === 'Tab' ? { rows: 0, columns: shiftKey ? -1 : 1 } : null;
}

export function CellEditor({ column, value, typed, onTake, onLeave }: CellEditorProps): ReactElement {
  const before = toText(column, value);
  const [text, setText] = useState(typed ?? before);
  const [items, setItems] = useState(Array.isArray(value) ? value : []);
  const frame = useRef<HTMLDivElement>(null);
  const isOver = useRef(false);
  useEffect(() => focusControl(frame.current), []);
  const end = (step: Step | null): void => {
    if (isOver.current) return;
    isOver.current = true;
    if (isLimited(column)) onTake(items.length > 0 ? items : null, step);
    else onTake(text === before ? value : toValue(column, text), step);
  };
  const press = (event: KeyboardEvent): void => {
    event.stopPropagation();
    if (isComposing(event)) return;
    const step = findStep(event);
    if (step || event.key === 'Escape') event.preventDefault();
    if (step) end(step);
    if (event.key !== 'Escape') return;
    isOver.current = true;
    onLeave();
  };
  return (
    <div
      ref={frame}
      className={styles['editor']}
      onKeyDown={press}
      onBlur={({ relatedTarget, currentTarget }) => !currentTarget.contains(relatedTarget) && end(null)}
    >
      {isLimited(column) ? (
        <ListChoice column={column} items={items} onChange={setItems} />
      ) : (
        <Control column={column} text={text} onChange={setText} />
      )}
    </div>
  );
}

function focusControl(frame: HTMLElement | null): void {
  const control = frame?.querySelector<HTMLElement>('input, textarea, select');
  control?.focus({ preventScroll: true });
  if (control instanceof HTMLTextAreaElement) control.setSelectionRange(control.value.length, control.value.length);
}

interface ControlProps {
  column: Column;
  text: string;
  onChange(text: string): void;
}

function Control({ column, text, onChange }: ControlProps): ReactElement {
  const about = {
    'aria-label': column.title,
    value: text,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  };
  switch (column.type) {
    case 'BOOLEAN':
    case 'SELECT':
      return (
        <select {...about}>
          <Options column={column} chosen={text} />
        </select>
      );
    case 'DATE':
      return <input {...about} type="date" />;
    case 'NUMBER':
      return <input {...about} inputMode="decimal" />;
    case 'URL':
      return <input {...about} inputMode="url" />;
    default:
      return <textarea {...about} rows={1} />;
  }
}

/** A row keeps a choice that its column has no more. */
function Options({ column, chosen }: { column: Column; chosen: string }): ReactElement[] {
  const texts = useTexts(COMMON);
  const isYesOrNo = column.type === 'BOOLEAN';
  const names = new Map([
    ['true', texts.yes],
    ['false', texts.no],
  ]);
  const known = isYesOrNo ? [...names.keys()] : column.options;
  return [...new Set(['', ...known, chosen])].map((option) => (
    <option key={option} value={option}>
      {(isYesOrNo ? names.get(option) : option) || option || '–'}
    </option>
  ));
}

interface ListChoiceProps {
  column: Column;
  items: readonly string[];
  onChange(items: string[]): void;
}

function ListChoice({ column, items, onChange }: ListChoiceProps): ReactElement {
  return (
    <fieldset className={styles['choice']} aria-label={column.title}>
      {[...new Set([...column.options, ...items])].map((option) => (
        <CheckField
          key={option}
          label={option}
          checked={items.includes(option)}
          onChange={(isChosen) => onChange(isChosen ? [...items, option] : items.filter((item) => item !== option))}
        />
      ))}
    </fieldset>
  );
}
