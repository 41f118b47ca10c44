/** The field in which a message is written, with what it offers meanwhile. */
import {
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactElement,
  type RefObject,
} from 'react';
import { Icon } from '../../../ui/icon.tsx';
import { isComposing } from '../../../ui/confirming.ts';
import { isFromList, isStrayEnter, returnToComposer } from '../../../frame/writing.ts';
import styles from './composer.module.css';
import type { Suggestion } from './suggestions.ts';
import { useSuggestions } from './suggestions.ts';

interface TextInputProps {
  label: string;
  text: string;
  /** The field itself, into which others write at its caret. */
  area: RefObject<HTMLTextAreaElement | null>;
  offers: Readonly<Record<'/' | '@', Suggestion[]>>;
  onChange(text: string): void;
  onSend(): void;
  /** A suggestion was taken into the text. */
  onTake(suggestion: Suggestion): void;
  onFiles(files: readonly File[]): void;
  /** Takes back the text of a model, or the last send; null when nothing can be undone. */
  onUndo: (() => void) | null;
}

export const MOST_CHARACTERS = 4_096;

/** Enter sends, and with Shift begins a new line. While letters are composed, as in Japanese, Enter belongs to the keyboard. */
export function TextInput(props: TextInputProps): ReactElement {
  const { label, text, area, offers, onChange, onSend, onTake, onFiles, onUndo } = props;
  const [caret, setCaret] = useState(0);
  const wantedCaret = useRef<number | null>(null);
  const suggestions = useSuggestions(text, caret, offers);
  const listId = useId();

  useEffect(() => {
    // What was kept of a text goes on at its end.
    area.current?.setSelectionRange(text.length, text.length);
    if (!isFromList()) returnToComposer();
  }, [area]);
  useLayoutEffect(() => {
    if (wantedCaret.current === null) return;
    area.current?.setSelectionRange(wantedCaret.current, wantedCaret.current);
    wantedCaret.current = null;
  });
  const take = (suggestion: Suggestion): void => {
    const applied = suggestions.apply(suggestion);
    wantedCaret.current = applied.caret;
    setCaret(applied.caret);
    onChange(applied.text);
    onTake(suggestion);
    area.current?.focus();
  };
  const press = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    if (onUndo && isUndo(event)) {
      event.preventDefault();
      return onUndo();
    }
    const suggestion = suggestions.items[suggestions.chosen];
    const isTaken = suggestion ? pressInList(event, suggestion) : false;
    if (isTaken || (event.key === 'Enter' && !event.shiftKey)) event.preventDefault();
    if (!isTaken && event.key === 'Enter' && !event.shiftKey && !isStrayEnter(event.nativeEvent)) onSend();
  };
  const pressInList = ({ key, shiftKey }: KeyboardEvent, suggestion: Suggestion): boolean => {
    if (key === 'ArrowDown' || key === 'ArrowUp') suggestions.move(key === 'ArrowDown' ? 1 : -1);
    else if ((key === 'Enter' && !shiftKey) || key === 'Tab') take(suggestion);
    else if (key === 'Escape') suggestions.close();
    else return false;
    return true;
  };
  const paste = (event: ClipboardEvent): void => {
    const files = [...event.clipboardData.files];
    // Spreadsheets copy a picture of the text as well.
    if (files.length === 0 || event.clipboardData.getData('text/plain') !== '') return;
    event.preventDefault();
    onFiles(files);
  };
  const isOffering = suggestions.items.length > 0;
  return (
    <>
      {isOffering && (
        <SuggestionList id={listId} items={suggestions.items} chosen={suggestions.chosen} label={label} onTake={take} />
      )}
      <textarea
        ref={area}
        className={styles['text']}
        aria-label={label}
        aria-autocomplete="list"
        aria-controls={isOffering ? listId : undefined}
        aria-activedescendant={isOffering ? `${listId}-${suggestions.chosen}` : undefined}
        placeholder={label}
        rows={2}
        maxLength={MOST_CHARACTERS}
        dir="auto"
        value={text}
        onChange={({ target }) => {
          setCaret(target.selectionStart);
          onChange(target.value);
        }}
        onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
        onKeyDown={press}
        onPaste={paste}
      />
    </>
  );
}

/** Ctrl Z, or Command Z on a Mac. */
const isUndo = ({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === 'z' && (ctrlKey || metaKey) && !shiftKey && !altKey;

interface SuggestionListProps {
  id: string;
  items: readonly Suggestion[];
  chosen: number;
  label: string;
  onTake(suggestion: Suggestion): void;
}

function SuggestionList({ id, items, chosen, label, onTake }: SuggestionListProps): ReactElement {
  return (
    <ul id={id} role="listbox" aria-label={label} className={styles['suggestions']}>
      {items.map((suggestion, index) => (
        <li
          key={suggestion.key}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === chosen}
          className={styles['suggestion']}
          // The field keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onTake(suggestion)}
        >
          <strong dir="auto">{suggestion.label}</strong>
          <span className={styles['detail']} dir="auto">
            {suggestion.attachment && <Icon name="attach" size={14} />} {suggestion.detail}
          </span>
        </li>
      ))}
    </ul>
  );
}
