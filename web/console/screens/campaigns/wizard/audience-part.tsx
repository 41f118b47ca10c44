/** Whom the campaign is for: filters and tags that find contacts, and chosen ones beside them. */
import type { Campaign } from '@parley/sdk';
import { useState, type ReactElement } from 'react';
import { findContacts, nameContact, useContact } from '../../../records/contacts.ts';
import { useMay } from '../../../session/session.ts';
import { CONTACT_FIELDS } from '../../../texts/contact-fields.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { CheckField, TextField } from '../../../ui/field.tsx';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { toApiFilters, useContactFilters, type Filter } from '../../../ui/filters/filters.ts';
import { explainField } from '../../../ui/problem.ts';
import { ChosenRecord, RecordsField, type ChosenProps } from '../../../ui/records-field.tsx';
import { SheetDialog } from '../sheet-dialog.tsx';
import { CAMPAIGN_SHEETS } from '../texts.ts';
import { AudienceCount } from './audience-count.tsx';
import { WIZARD } from './texts.ts';
import type { PartProps } from './parts.ts';
import styles from './wizard.module.css';

type Audience = Campaign['audience'];

export function AudiencePart({ stored, shown, kept }: PartProps): ReactElement {
  const texts = useTexts(WIZARD);
  const filterable = useContactFilters();
  const { audience } = shown;
  const change = (next: Partial<Audience>): void => kept.change({ audience: { ...audience, ...next } });
  const filters = (audience.filters ?? []).map((filter): Filter => ({ value: '', ...filter }) as Filter);
  return (
    <>
      <p className={styles['note']}>{texts.audienceHint}</p>
      <FilterBar
        filterable={filterable}
        filters={filters}
        onChange={(next) => change({ filters: toApiFilters(next) })}
      />
      <TagField audience={audience} error={kept.error} onChange={(tags) => change({ tags })} />
      <SheetButton campaign={stored._id} />
      <RecordsField
        label={texts.chosenContacts}
        add={texts.addContact}
        noun="contacts"
        ids={audience.contacts ?? []}
        search={findContacts}
        name={nameContact}
        about={({ phone_number }) => phone_number}
        Chosen={ChosenContact}
        onChange={(contacts) => change({ contacts })}
      />
      <CheckField
        label={texts.toActive}
        hint={texts.toActiveHint}
        checked={shown.send_to_active_conversations}
        onChange={(send_to_active_conversations) => kept.change({ send_to_active_conversations })}
      />
      <AudienceCount campaign={stored} />
    </>
  );
}

interface TagFieldProps {
  audience: Audience;
  error: unknown;
  onChange(tags: string[]): void;
}

function TagField({ audience, error, onChange }: TagFieldProps): ReactElement {
  const texts = useTexts(WIZARD);
  const label = useTexts(CONTACT_FIELDS).tags;
  const [text, setText] = useState((audience.tags ?? []).join(', '));
  const change = (next: string): void => {
    setText(next);
    const tags = next.split(',').map((tag) => tag.trim());
    onChange([...new Set(tags)].filter((tag) => tag !== ''));
  };
  return (
    <TextField
      label={label}
      hint={texts.tagsHint}
      value={text}
      onChange={change}
      error={explainField(error, 'audience.tags')}
    />
  );
}

function SheetButton({ campaign }: { campaign: string }): ReactElement | null {
  const texts = useTexts(CAMPAIGN_SHEETS);
  const may = useMay('campaign-enrollments:create');
  const [isOpen, open] = useState(false);
  if (!may) return null;
  return (
    <div>
      <Button icon="upload" onClick={() => open(true)}>
        {texts.addSheet}
      </Button>
      {isOpen && <SheetDialog campaign={campaign} onClose={() => open(false)} />}
    </div>
  );
}

function ChosenContact({ id, onRemove }: ChosenProps): ReactElement {
  const { data: contact } = useContact(id);
  return <ChosenRecord name={contact ? nameContact(contact) : '…'} onRemove={onRemove} />;
}
