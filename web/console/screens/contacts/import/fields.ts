/** The fields of contacts that a sheet can fill, and which of them the title of a column means. */
import type { CustomField } from '@parley/sdk';
import { useCustomFields } from '../../../records/company.ts';
import { useTexts } from '../../../texts/texts.ts';
import { foldTitle, type ImportField } from '../../../ui/sheets/mapping.ts';
import { CONTACT_FIELDS } from '../../../texts/contact-fields.ts';
import { IMPORTS } from './texts.ts';

const NAMED = [
  'name',
  'phone_number',
  'email',
  'tags',
  'language',
  'owner',
  'business',
  'opted_out',
  'blocked',
  'professional_network_identifier',
  'external_id',
] as const;

/** Further titles that people give to columns. */
const ALIASES = new Map<string, string>([
  ['full name', 'name'],
  ['nome completo', 'name'],
  ['nombre completo', 'name'],
  ['correo', 'email'],
  ['phone', 'phone_number'],
  ['mobile', 'phone_number'],
  ['celular', 'phone_number'],
  ['movil', 'phone_number'],
  ['numero de telefone', 'phone_number'],
  ['whatsapp', 'phone_number'],
]);

export function useImportFields(): ImportField[] {
  const names = useTexts(CONTACT_FIELDS);
  const texts = useTexts(IMPORTS);
  const custom = useCustomFields('contact');
  return [
    ...NAMED.map((key) => ({ key, title: names[key] })),
    { key: 'avatar_url', title: texts.avatar },
    { key: '_id', title: texts.id },
    ...custom.map(({ slug, title }) => ({ key: `custom_fields.${slug}`, title })),
  ];
}

/** Returns the field that a title means, in any of the languages; null when it means none. */
export function findField(title: string, custom: readonly CustomField[]): string | null {
  // A column called ID most often holds a number of another system.
  if (title === '_id') return title;
  const folded = foldTitle(title);
  const named = NAMED.find((key) =>
    [key, ...Object.values(CONTACT_FIELDS).map((texts) => texts[key])].some((name) => foldTitle(name) === folded),
  );
  if (named) return named;
  if (folded === 'avatar url') return 'avatar_url';
  const field =
    custom.find(({ slug }) => title === slug || title === `custom_fields.${slug}`) ??
    custom.find((each) => foldTitle(each.title) === folded);
  return ALIASES.get(folded) ?? (field ? `custom_fields.${field.slug}` : null);
}
