/** Forms that fill a screen. Unsaved changes stay when the user leaves the screen, and are there when they come back. */
import { useEffect, useMemo, type ReactElement } from 'react';
import { useSession } from '../session/session.ts';
import { createStore, useStore } from '../store.ts';
import { useTexts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import styles from './kept-form.module.css';
import { COMMON } from './texts.ts';

/** The changes by the user and the name of the form. */
const kept = createStore<ReadonlyMap<string, object>>(new Map());

/** Leaves out the changes whose values are those of the other form. */
function dropEqual<T extends object>(changes: Partial<T>, other: Partial<T>): Partial<T> {
  const values = new Map<string, unknown>(Object.entries(other));
  const isSame = ([key, value]: [string, unknown]): boolean =>
    values.has(key) && JSON.stringify(values.get(key)) === JSON.stringify(value);
  return Object.fromEntries(Object.entries(changes).filter((entry) => !isSame(entry))) as Partial<T>;
}

export interface KeptForm<T extends object> {
  /** The record with what was changed and is not saved. */
  form: T;
  /** What differs from the record. */
  changes: Partial<T>;
  change(more: Partial<T>): void;
  discard(): void;
  /** Forgets the changes that were saved, unless somebody has changed them again meanwhile. */
  settle(saved: Partial<T>): void;
}

/**
 * Keeps what the user changes in a form until it is saved or discarded. `name` tells the form from all others; fields that were not changed
 * follow the record. While something is changed, the browser asks before the page is closed or loaded again.
 */
export function useKeptForm<R, T extends object>(name: string, record: R, toForm: (record: R) => T): KeptForm<T> {
  const { user } = useSession();
  const key = `${user._id}.${name}`;
  const stored = useMemo(() => toForm(record), [toForm, record]);
  useStore(kept);
  const own = (): Partial<T> => kept.get().get(key) ?? {};
  const keep = (changes: Partial<T>): void => {
    const others = [...kept.get()].filter(([each]) => each !== key);
    kept.set(new Map(Object.keys(changes).length > 0 ? [...others, [key, changes]] : others));
  };
  const changes = dropEqual(own(), stored);
  useWarning(Object.keys(changes).length > 0);
  return {
    form: { ...stored, ...changes },
    changes,
    change: (more) => keep(dropEqual({ ...own(), ...more }, stored)),
    discard: () => keep({}),
    settle: (saved) => keep(dropEqual(own(), saved)),
  };
}

function useWarning(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isChanged]);
}

interface UnsavedProps {
  changes: object;
  isBusy: boolean;
  onDiscard(): void;
}

/** Says that something is not saved, and offers to discard it. */
export function Unsaved({ changes, isBusy, onDiscard }: UnsavedProps): ReactElement {
  const texts = useTexts(COMMON);
  const isChanged = Object.keys(changes).length > 0;
  return (
    <>
      <span className={styles['state']} role="status">
        {isChanged && texts.unsaved}
      </span>
      {isChanged && (
        <Button kind="quiet" disabled={isBusy} onClick={onDiscard}>
          {texts.discard}
        </Button>
      )}
    </>
  );
}
