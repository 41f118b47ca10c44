/** The values of a contact that a message can take. */
import { useCustomFields } from '../../records/company.ts';
import { CONTACT_FIELDS } from '../../texts/contact-fields.ts';
import { useTexts } from '../../texts/texts.ts';
import { COLUMN, type GivenValue, type GivenValues } from './template-values.ts';
import type { Option } from '../field.tsx';
import { TEMPLATE_FORMS } from './texts.ts';

const FIELDS = ['name', 'email', 'phone_number', 'external_id', 'language'] as const;

export function useContactValues(): Option[] {
  const names = useTexts(CONTACT_FIELDS);
  const texts = useTexts(TEMPLATE_FORMS);
  const custom = useCustomFields('contact');
  return [
    { value: 'contact.first_name', label: texts.firstName },
    ...FIELDS.map((field) => ({ value: `contact.${field}`, label: names[field] })),
    ...custom.map(({ slug, title }) => ({ value: `custom_fields.${slug}`, label: title })),
  ];
}

/** Writes the names of fields in the place of their values: “[First name]”. */
export function writeValues(values: GivenValues, fields: readonly Option[]): GivenValues {
  const write = (value: GivenValue): GivenValue =>
    'field' in value
      ? { text: `[${fields.find((each) => each.value === value.field)?.label ?? value.field.replace(COLUMN, '')}]` }
      : value;
  return new Map([...values].map(([key, value]) => [key, write(value)]));
}
