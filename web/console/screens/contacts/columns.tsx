/** The columns of the list of contacts, and which of them somebody wants to see. */
import type { Contact } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useCustomFields, useUsers } from '../../records/company.ts';
import { nameContact, showUsername } from '../../records/contacts.ts';
import { createStore, keep, readKept, useStore } from '../../store.ts';
import { CONTACT_FIELDS } from '../../texts/contact-fields.ts';
import { formatListed, formatShort } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { ContactBadges } from '../../ui/contact-badges.tsx';
import { Button } from '../../ui/button.tsx';
import { formatValue } from '../../ui/custom-fields.tsx';
import { Menu } from '../../ui/menu.tsx';
import type { Column } from '../../ui/record-list.tsx';
import type { Selection } from '../../ui/bulk/selection.ts';
import { CONTACT_CHANGES } from './bulk/texts.ts';
import styles from './contacts.module.css';
import { CONTACTS } from './texts.ts';

const KEPT_AS = 'parley.contact-columns';
const chosenColumns = createStore<readonly string[]>(
  readKept(KEPT_AS)?.split(' ') ?? ['phone_number', 'email', 'tags', 'owner', 'createdAt'],
);

function toggleColumn(key: string): void {
  const before = chosenColumns.get();
  const next = before.includes(key) ? before.filter((each) => each !== key) : [...before, key];
  keep(KEPT_AS, next.join(' '));
  chosenColumns.set(next);
}

/** All columns that there are behind the name. */
function useAllColumns(): Column<Contact>[] {
  const texts = useTexts(CONTACT_FIELDS);
  const users = useUsers();
  const custom = useCustomFields('contact');
  const ownerOf = ({ owner }: Contact): string | undefined => users.find(({ _id }) => _id === owner)?.name;
  const make = (key: keyof typeof texts, width: string, render: Column<Contact>['render']): Column<Contact> => ({
    key,
    title: texts[key],
    width,
    isSecondary: true,
    render,
  });
  return [
    make('phone_number', 'minmax(140px, 1fr)', (contact) => contact.phone_number ?? '–'),
    make('email', 'minmax(120px, 1.5fr)', (contact) => contact.email ?? '–'),
    make('username', 'minmax(110px, 1fr)', (contact) => showUsername(contact) ?? '–'),
    make('country_code', '70px', (contact) => contact.country_code ?? '–'),
    make('language', '80px', (contact) => contact.language ?? '–'),
    make('tags', 'minmax(150px, 1.5fr)', ({ tags }) => <Tags tags={tags} />),
    make('owner', 'minmax(110px, 1fr)', (contact) => ownerOf(contact) ?? '–'),
    make('last_message_at', '110px', ({ last_message_at: at }) => (at === null ? '–' : formatShort(at))),
    make('createdAt', '150px', ({ createdAt }) => formatListed(createdAt)),
    ...custom.map(({ _id, title, type }) => ({
      key: _id,
      title,
      width: 'minmax(100px, 1fr)',
      isSecondary: true,
      render: ({ custom_fields }: Contact) =>
        formatValue(type, custom_fields.find((each) => each._id === _id)?.value ?? null) ?? '–',
    })),
  ];
}

export const Tags = ({ tags }: { tags: readonly string[] }): ReactElement => (
  <span className={styles['tags']}>
    {tags.map((tag) => (
      <Badge key={tag}>{tag}</Badge>
    ))}
  </span>
);

export function useColumns(): Column<Contact>[] {
  const texts = useTexts(CONTACT_FIELDS);
  const chosen = useStore(chosenColumns);
  const name: Column<Contact> = {
    key: 'name',
    title: texts.name,
    width: 'minmax(210px, 2fr)',
    render: (contact) => <Name contact={contact} />,
  };
  return [name, ...useAllColumns().filter(({ key }) => chosen.includes(key))];
}

/** Adds a column with which contacts are selected, for users who may change them. */
export function useSelectable(columns: Column<Contact>[], selection: Selection<Contact>): Column<Contact>[] {
  const texts = useTexts(CONTACT_CHANGES);
  const select: Column<Contact> = {
    key: 'select',
    title: '',
    width: '28px',
    render: (contact) => (
      <label className={styles['pick']} onClick={(event) => event.stopPropagation()}>
        <input
          type="checkbox"
          aria-label={texts.select(nameContact(contact))}
          checked={selection.has(contact._id)}
          onChange={({ nativeEvent }) => selection.toggle(contact._id, (nativeEvent as MouseEvent).shiftKey)}
        />
      </label>
    ),
  };
  return selection.isPossible ? [select, ...columns] : columns;
}

function Name({ contact }: { contact: Contact }): ReactElement {
  return (
    <span className={styles['name']}>
      <span>{nameContact(contact)}</span>
      <ContactBadges contact={contact} />
    </span>
  );
}

export function ColumnMenu(): ReactElement {
  const texts = useTexts(CONTACTS);
  const chosen = useStore(chosenColumns);
  const items = useAllColumns().map(({ key, title }) => ({
    key,
    label: title,
    isChosen: chosen.includes(key),
    onSelect: () => toggleColumn(key),
  }));
  return <Menu items={items} trigger={<Button icon="table">{texts.columns}</Button>} />;
}
