/** Searches people, conversations and messages, opens screens, and runs commands, all by keyboard. */
import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import type { ReactElement } from 'react';
import { useTexts } from '../texts/texts.ts';
import { Icon } from '../ui/icon.tsx';
import { explainError } from '../ui/problem.ts';
import { COMMON } from '../ui/texts.ts';
import { useCommands } from './command-list.ts';
import type { Entry, EntryGroup } from './entries.ts';
import { useFound } from './found.tsx';
import { closeCommandDialog, findFocusBefore, forgetFocusBefore, setSearched, useSearched } from './opened.ts';
import styles from './search-dialog.module.css';
import { SEARCH } from './texts.ts';

export function SearchDialog(): ReactElement {
  const texts = useTexts(SEARCH);
  const common = useTexts(COMMON);
  const typed = useSearched();
  const { groups: found, isSearching, error } = useFound(typed);
  const commands = filterCommands(useCommands(), typed);
  const groups = [...commands.slice(0, 1), ...found, ...commands.slice(1)].filter(({ items }) => items.length > 0);
  const state = error
    ? explainError(error)
    : isSearching
      ? texts.searching
      : groups.length === 0
        ? common.nothingFound
        : '';
  return (
    <Dialog.Root open onOpenChange={(open) => !open && closeCommandDialog()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles['backdrop']} />
        <Dialog.Popup
          className={styles['dialog']}
          aria-label={texts.title}
          finalFocus={() => findFocusBefore() ?? false}
        >
          <Autocomplete.Root
            open
            inline
            mode="none"
            items={groups}
            value={typed}
            onValueChange={(value, { reason }) => reason !== 'item-press' && setSearched(value)}
            itemToStringValue={({ key }: Entry) => key}
            autoHighlight="always"
            keepHighlight
          >
            <div className={styles['field']}>
              <Icon name="search" />
              <Autocomplete.Input
                className={styles['input']}
                aria-label={texts.title}
                placeholder={texts.placeholder}
              />
            </div>
            <Autocomplete.List className={styles['list']}>
              {(group: EntryGroup) => <Group key={group.title} group={group} />}
            </Autocomplete.List>
          </Autocomplete.Root>
          <p className={styles['state']}>
            <span role="status">{state}</span>
            <span className={styles['hint']}>{texts.hint}</span>
          </p>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Group({ group }: { group: EntryGroup }): ReactElement {
  return (
    <Autocomplete.Group items={group.items}>
      <Autocomplete.GroupLabel className={styles['title']}>{group.title}</Autocomplete.GroupLabel>
      <Autocomplete.Collection>
        {(entry: Entry) => (
          <Autocomplete.Item key={entry.key} value={entry} className={styles['entry']} onClick={() => choose(entry)}>
            <Icon name={entry.icon} size={16} />
            <span className={styles['label']} dir="auto">
              {entry.label}
            </span>
            {entry.detail && (
              <span className={styles['detail']} dir="auto">
                {entry.detail}
              </span>
            )}
          </Autocomplete.Item>
        )}
      </Autocomplete.Collection>
    </Autocomplete.Group>
  );
}

function choose(entry: Entry): void {
  const { href } = location;
  closeCommandDialog();
  entry.run();
  // Another page has its own place for the focus.
  if (location.href !== href) forgetFocusBefore();
}

const fold = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** Keeps the commands that contain each of the typed words, whatever their accents. */
function filterCommands(groups: EntryGroup[], typed: string): EntryGroup[] {
  const words = fold(typed).split(/\s+/).filter(Boolean);
  const matches = ({ label }: Entry): boolean =>
    typeof label === 'string' && words.every((word) => fold(label).includes(word));
  return groups.map(({ title, items }) => ({ title, items: items.filter(matches) }));
}
