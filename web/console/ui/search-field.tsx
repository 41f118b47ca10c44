/** A field that searches while somebody types. */
import { useEffect, useState, type ReactElement } from 'react';
import styles from './search-field.module.css';

/** A search begins when nobody has typed for this long. */
const TYPED_MS = 250;

interface SearchFieldProps {
  label: string;
  /** What is searched for now. */
  value: string;
  onSearch(text: string): void;
}

export function SearchField({ label, value, onSearch }: SearchFieldProps): ReactElement {
  const [typed, setTyped] = useState(value);
  const [seen, see] = useState(value);
  // The search was changed elsewhere, for example by opening a segment.
  if (seen !== value) {
    see(value);
    if (typed.trim() !== value) setTyped(value);
  }
  useEffect(() => {
    if (typed.trim() === value) return undefined;
    const timer = setTimeout(() => onSearch(typed.trim()), TYPED_MS);
    return () => clearTimeout(timer);
  }, [typed, value, onSearch]);
  return (
    <input
      type="search"
      dir="auto"
      className={styles['input']}
      aria-label={label}
      placeholder={label}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
    />
  );
}
