/** The values of a contact that a message can take. */
import { useCustomFields } from '../../records/company.ts';
import { CONTACT_FIELDS } from '../../texts/contact-fields.ts';
import { useTexts } from '../../texts/texts.ts';
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
