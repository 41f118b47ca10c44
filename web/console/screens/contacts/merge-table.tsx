/** Two contacts side by side, with a mark at each value that stays when they are merged. */
import type { Contact } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useBusiness } from '../../records/businesses.ts';
import { useCustomFields, useUsers } from '../../records/company.ts';
import { nameContact, showUsername } from '../../records/contacts.ts';
import { CONTACT_FIELDS } from '../../texts/contact-fields.ts';
import { useTexts } from '../../texts/texts.ts';
import { listCustomDetails } from '../../ui/custom-fields.tsx';
import { Icon } from '../../ui/icon.tsx';
import { COMMON } from '../../ui/texts.ts';
import styles from './merge-table.module.css';
import { CONTACTS } from './texts.ts';

/** Of these, the contact keeps its own value; an empty one is filled from the other. */
const PLAIN = ['name', 'phone_number', 'email', 'language', 'professional_network_identifier', 'external_id'] as const;

interface Line {
  key: string;
  label: string;
  mine: string | null;
  theirs: string | null;
  /** Both values are kept. */
  isUnited?: boolean;
}

function useLines(contact: Contact, other: Contact): Line[] {
  const names = useTexts(CONTACT_FIELDS);
  const common = useTexts(COMMON);
  const users = useUsers();
  const fields = useCustomFields('contact');
  const nameOwner = ({ owner }: Contact): string | null => users.find(({ _id }) => _id === owner)?.name ?? null;
  const { data: business } = useBusiness(contact.business);
  const { data: otherBusiness } = useBusiness(other.business);
  const theirs = listCustomDetails(fields, other.custom_fields);
  return [
    ...PLAIN.map((key) => ({ key, label: names[key], mine: contact[key], theirs: other[key] })),
    { key: 'username', label: names.username, mine: showUsername(contact), theirs: showUsername(other) },
    { key: 'owner', label: names.owner, mine: nameOwner(contact), theirs: nameOwner(other) },
    { key: 'business', label: names.business, mine: business?.name ?? null, theirs: otherBusiness?.name ?? null },
    {
      key: 'tags',
      label: names.tags,
      mine: contact.tags.join(', ') || null,
      theirs: other.tags.join(', ') || null,
      isUnited: true,
    },
    ...(['opted_out', 'blocked'] as const).map((key) => ({
      key,
      label: names[key],
      mine: contact[key] ? common.yes : null,
      theirs: other[key] ? common.yes : null,
      isUnited: true,
    })),
    ...listCustomDetails(fields, contact.custom_fields).map(([label, value, key], index) => ({
      key,
      label,
      mine: value,
      theirs: theirs[index]?.[1] ?? null,
    })),
  ];
}

export function MergeTable({ contact, other }: { contact: Contact; other: Contact }): ReactElement {
  const texts = useTexts(CONTACTS);
  const lines = useLines(contact, other).filter(({ mine, theirs }) => mine !== null || theirs !== null);
  return (
    <table className={styles['table']}>
      <thead>
        <tr>
          <th scope="col">{texts.field}</th>
          <th scope="col">
            {nameContact(contact)} <small>{texts.stays}</small>
          </th>
          <th scope="col">
            {nameContact(other)} <small>{texts.isMerged}</small>
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ key, label, mine, theirs, isUnited }) => (
          <tr key={key}>
            <th scope="row">{label}</th>
            <Value text={mine} isKept={mine !== null} />
            <Value text={theirs} isKept={theirs !== null && (mine === null || isUnited === true)} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Value({ text, isKept }: { text: string | null; isKept: boolean }): ReactElement {
  const texts = useTexts(CONTACTS);
  return (
    <td data-kept={isKept}>
      {isKept && (
        <span role="img" aria-label={texts.stays} className={styles['mark']}>
          <Icon name="check" size={14} />
        </span>
      )}
      {text ?? '–'}
    </td>
  );
}
