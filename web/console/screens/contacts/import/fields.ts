/** The fields of contacts that a sheet can fill, and which of them the title of a column means. */
import type { CustomField } from '@parley/sdk';
import { useCustomFields } from '../../../records/company.ts';
import { useTexts } from '../../../texts/texts.ts';
import { foldTitle, type ImportField, type Mapping } from '../../../ui/sheets/mapping.ts';
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

const NAME_PARTS = ['given_name', 'additional_name', 'family_name'] as const;

/** Further titles of columns, as the platform knows them: those that people give, and those of exported address books. */
const TITLES: Readonly<Record<string, string>> = {
  name: 'nome|nome completo|full name|display name|nombre|nombre completo',
  given_name: 'given name|first name|primeiro nome|primer nombre|nombre de pila',
  additional_name: 'additional name|middle name|segundo nome|nome do meio|segundo nombre',
  family_name: 'family name|last name|surname|sobrenome|apellido|apellidos',
  email:
    'e mail|e mail 1 value|e mail address|email address|endereco de email|endereco de e mail|correo|correo electronico|direccion de correo electronico',
  phone_number:
    'phone|phone 1 value|mobile|mobile phone|mobile number|telefone|telefone celular|celular|numero de telefone|telefono|telefono movil|movil|numero de telefono|whatsapp',
  tags: 'labels|group membership|categories|etiquetas|marcadores|categorias',
};
const BY_TITLE = new Map(
  Object.entries(TITLES).flatMap(([field, titles]) => titles.split('|').map((title) => [title, field])),
);

/** Contacts have no field for a company, so such a column fills a custom field that is called like one of these. */
const COMPANY_TITLES = new Set(
  'company|company name|organization|organization name|organization 1 name|empresa|nome da empresa|organizacao|compania|organizacion|nombre de la empresa'.split(
    '|',
  ),
);

/** The fields of which a column has to give one, so that a later import finds the same contacts. */
const IDENTIFYING = ['_id', 'phone_number', 'email', 'professional_network_identifier', 'external_id'];

/** Whether a column says who a row is about. The platform decides about a sheet whose columns this page cannot show. */
export const isIdentifying = (mapping: Mapping | null): boolean =>
  mapping === null || [...mapping.values()].some((field) => field !== null && IDENTIFYING.includes(field));

export function useImportFields(): ImportField[] {
  const names = useTexts(CONTACT_FIELDS);
  const texts = useTexts(IMPORTS);
  const custom = useCustomFields('contact');
  return [
    ...NAMED.map((key) => ({ key, title: names[key] })),
    ...NAME_PARTS.map((key) => ({ key, title: texts[key] })),
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
    custom.find((each) => foldTitle(each.title) === folded) ??
    (COMPANY_TITLES.has(folded) ? custom.find((each) => COMPANY_TITLES.has(foldTitle(each.title))) : undefined);
  return BY_TITLE.get(folded) ?? (field ? `custom_fields.${field.slug}` : null);
}
