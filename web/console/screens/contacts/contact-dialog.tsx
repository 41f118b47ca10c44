/** Creates a contact, or changes one. */
import { isParleyError, type Contact } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { Link } from 'wouter';
import { parley, toScreen } from '../../client.ts';
import { useCustomFields, useUsers } from '../../records/company.ts';
import { nameContact, showContact } from '../../records/contacts.ts';
import { CONTACT_FIELDS } from '../../texts/contact-fields.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { CustomFieldInputs } from '../../ui/custom-fields.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FieldGrid } from '../../ui/field-grid.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { explainField } from '../../ui/problem.ts';
import { COMMON } from '../../ui/texts.ts';
import { showNotice } from '../../ui/toast.tsx';
import { BusinessField } from './business-field.tsx';
import { TEXT_FIELDS, toChange, toDraft, type ContactDraft } from './contact-form.ts';
import { CONTACTS } from './texts.ts';

interface ContactDialogProps {
  /** Null creates a contact. */
  contact: Contact | null;
  onClose(saved: Contact | null): void;
}

export function ContactDialog({ contact, onClose }: ContactDialogProps): ReactElement {
  const texts = useTexts(CONTACTS);
  const common = useTexts(COMMON);
  const [before] = useState(() => toDraft(contact));
  const [draft, setDraft] = useState(before);
  const save = useMutation({
    mutationFn: () => {
      const change = toChange(before, draft);
      return contact ? parley.contacts.update(contact._id, change) : parley.contacts.create(change);
    },
    onSuccess: (saved) => {
      showContact(saved);
      showNotice(common.saved);
      onClose(saved);
    },
  });
  return (
    <Dialog
      title={contact ? nameContact(contact) : texts.newContact}
      width="wide"
      onClose={() => onClose(null)}
      actions={
        <>
          <Button onClick={() => onClose(null)}>{common.cancel}</Button>
          <Button kind="primary" isBusy={save.isPending} onClick={() => save.mutate()}>
            {contact ? common.save : common.create}
          </Button>
        </>
      }
    >
      <FormProblem error={save.error} fields={[...TEXT_FIELDS, 'country', 'tags', 'custom_fields']} />
      <Holder error={save.error} onOpen={() => onClose(null)} />
      <PlainFields draft={draft} error={save.error} onChange={setDraft} />
      <CompanyFields draft={draft} error={save.error} onChange={setDraft} />
    </Dialog>
  );
}

/** Leads to the contact that has a phone number or e-mail already. */
function Holder({ error, onOpen }: { error: unknown; onOpen(): void }): ReactElement | null {
  const texts = useTexts(CONTACTS);
  if (!isParleyError(error) || typeof error.problem?.existing_id !== 'string') return null;
  return (
    <Link href={toScreen(`/contacts/${error.problem.existing_id}`)} onClick={onOpen}>
      {texts.existing}
    </Link>
  );
}

interface FieldsProps {
  draft: ContactDraft;
  error: unknown;
  onChange(draft: ContactDraft): void;
}

function PlainFields({ draft, error, onChange }: FieldsProps): ReactElement {
  const names = useTexts(CONTACT_FIELDS);
  const texts = useTexts(CONTACTS);
  const common = useTexts(COMMON);
  return (
    <FieldGrid>
      {TEXT_FIELDS.map((field) => (
        <TextField
          key={field}
          label={names[field]}
          type={field === 'email' ? 'email' : field === 'phone_number' ? 'tel' : 'text'}
          value={draft.texts[field]}
          onChange={(text) => onChange({ ...draft, texts: { ...draft.texts, [field]: text } })}
          error={explainField(error, field)}
        />
      ))}
      <TextField
        label={texts.country}
        hint={texts.countryHint}
        maxLength={2}
        value={draft.country}
        onChange={(country) => onChange({ ...draft, country })}
        error={explainField(error, 'country')}
      />
      <TextField
        label={names.tags}
        hint={common.commas}
        value={draft.tags}
        onChange={(tags) => onChange({ ...draft, tags })}
        error={explainField(error, 'tags')}
      />
    </FieldGrid>
  );
}

function CompanyFields({ draft, error, onChange }: FieldsProps): ReactElement {
  const names = useTexts(CONTACT_FIELDS);
  const texts = useTexts(CONTACTS);
  const users = useUsers();
  const fields = useCustomFields('contact');
  return (
    <FieldGrid>
      <SelectField<string>
        label={names.owner}
        value={draft.owner ?? ''}
        options={[
          { value: '', label: texts.nobodyOwns },
          ...users.map(({ _id, name }) => ({ value: _id, label: name })),
        ]}
        onChange={(owner) => onChange({ ...draft, owner: owner || null })}
      />
      <BusinessField value={draft.business} onChange={(business) => onChange({ ...draft, business })} />
      <CheckField
        label={names.opted_out}
        checked={draft.opted_out}
        onChange={(opted_out) => onChange({ ...draft, opted_out })}
      />
      <CheckField
        label={names.blocked}
        checked={draft.blocked}
        onChange={(blocked) => onChange({ ...draft, blocked })}
      />
      <CustomFieldInputs
        fields={fields}
        values={draft.custom}
        error={error}
        onChange={(custom) => onChange({ ...draft, custom })}
      />
    </FieldGrid>
  );
}
