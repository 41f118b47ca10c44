/** Finds the field that the title of a column means: its own name, a common title in several languages, or a title of an exported address book. */
import { foldText } from '../../../platform/values/words.ts';
import type { FieldFinder } from '../../imports/imports.ts';
import type { CustomField } from '../../custom-fields/schemas.ts';

/** The fields of a contact that a sheet can have, under the names of the record. */
const PLAIN_FIELDS = [
  'name',
  'email',
  'phone_number',
  'professional_network_identifier',
  'external_id',
  'avatar_url',
  'language',
  'tags',
  'business',
  'owner',
  'opted_out',
  'blocked',
] as const;

/** Parts of a name, which make the name of a row in this order. */
export const NAME_PARTS = ['given_name', 'additional_name', 'family_name'] as const;

type SheetField = (typeof PLAIN_FIELDS)[number] | (typeof NAME_PARTS)[number];

/**
 * Common titles in English, Portuguese and Spanish, and those of the address books that Google and Outlook export, in small letters without
 * accents and hyphens. Of several numbers and e-mails of an address book the first one counts.
 */
const TITLES: Partial<Record<SheetField, readonly string[]>> = {
  name: ['nome', 'nome completo', 'full name', 'display name', 'nombre', 'nombre completo'],
  given_name: ['first name', 'primeiro nome', 'primer nombre', 'nombre de pila'],
  additional_name: ['middle name', 'segundo nome', 'nome do meio', 'segundo nombre'],
  family_name: ['last name', 'surname', 'sobrenome', 'apellido', 'apellidos'],
  email: [
    'e mail',
    'e mail 1 value',
    'e mail address',
    'email address',
    'endereco de email',
    'endereco de e mail',
    'correo',
    'correo electronico',
    'direccion de correo electronico',
  ],
  phone_number: [
    'phone',
    'phone 1 value',
    'mobile',
    'mobile phone',
    'mobile number',
    'telefone',
    'telefone celular',
    'celular',
    'numero de telefone',
    'telefono',
    'telefono movil',
    'movil',
    'numero de telefono',
    'whatsapp',
  ],
  language: ['idioma'],
  tags: ['labels', 'group membership', 'categories', 'etiquetas', 'marcadores', 'categorias'],
};
const BY_TITLE = new Map(Object.entries(TITLES).flatMap(([field, titles]) => titles.map((title) => [title, field])));

/** Contacts have no field for the company of a person, so such a column fills a custom field that is called like one of these. */
const COMPANY_TITLES = new Set([
  'company',
  'company name',
  'organization',
  'organization name',
  'organization 1 name',
  'empresa',
  'nome da empresa',
  'organizacao',
  'compania',
  'organizacion',
  'nombre de la empresa',
]);

export const PREFIX = 'custom_fields.';

const foldTitle = (text: string): string =>
  foldText(text)
    .replaceAll(/[\s_-]+/g, ' ')
    .trim();

/** Finds the field for a column title: `_id`, the name of a field or a common title of it, or the slug, id or title of a custom field. */
export function createFieldFinder(definitions: CustomField[]): FieldFinder {
  return (title) => {
    // Only the exact title `_id` means our id, because a column called ID most often holds a number of the caller's own.
    if (title === '_id') return title;
    const name = foldTitle(title);
    const plain = [...PLAIN_FIELDS, ...NAME_PARTS].find((field) => foldTitle(field) === name) ?? BY_TITLE.get(name);
    if (plain) return plain;
    const key = title.startsWith(PREFIX) ? title.slice(PREFIX.length) : title;
    const field =
      definitions.find(({ _id, slug }) => _id === key || slug === key) ??
      definitions.find((each) => foldTitle(each.title) === name) ??
      (COMPANY_TITLES.has(name) ? definitions.find((each) => COMPANY_TITLES.has(foldTitle(each.title))) : undefined);
    return field && PREFIX + field.slug;
  };
}
