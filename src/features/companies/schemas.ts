import { Type, type Static } from 'typebox';
import { CHANNEL_NAMES } from '../../channels/registry.ts';
import { pageSchema, pageQuery, searchParameter } from '../../platform/store/paging.ts';
import {
  Country,
  Name,
  Timestamp,
  define,
  explainedPattern,
  nullable,
  oneOf,
  recordId,
  ref,
  strict,
} from '../../platform/values/schema.ts';
import { Email, LANGUAGES } from '../users/schemas.ts';

const COMPANY_STATUSES = ['ACTIVE', 'SUSPENDED'] as const;

/** An object of free form; companies.ts limits it to 16 kB. */
const FreeObject = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true });

const name = Name;
const domain = Type.String({
  maxLength: 253,
  ...explainedPattern(
    String.raw`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$`,
    'must be a domain in small letters, such as example.com',
  ),
});
const documentType = oneOf(['CPF', 'CNPJ', 'OTHER']);
const status = oneOf(COMPANY_STATUSES);
const stored_bytes = nullable(
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'How many bytes of records the company may store; with null the installation’s COMPANY_QUOTA applies',
  }),
);

const writableProperties = {
  description: nullable(Type.String({ maxLength: 2_000 })),
  domains: Type.Array(domain, { maxItems: 50, uniqueItems: true }),
  site: nullable(Type.String({ minLength: 1, maxLength: 2_048, description: 'http or https' })),
  general_config: Type.Partial(
    strict({
      language: oneOf(LANGUAGES),
      time_zone: Type.String({ maxLength: 64, description: 'America/Sao_Paulo' }),
      country: nullable(
        Type.String({
          ...Country,
          description: 'ISO 3166 alpha-2: the country of phone numbers that are written without a country code',
        }),
      ),
    }),
    { additionalProperties: false },
  ),
  status,
  agent_builder_mcp_enabled: Type.Boolean(),
  client_mcp_servers_enabled: Type.Boolean(),
  auto_join_enabled: Type.Boolean(),
  subscription: FreeObject,
  document_type: nullable(documentType),
  document_number: nullable(Type.String({ minLength: 1, maxLength: 32 })),
  payment_customer_id: nullable(Type.String({ minLength: 1, maxLength: 200 })),
  billing_external: Type.Boolean(),
  billing_partner: Type.Boolean(),
  onboarding: FreeObject,
  attribution: FreeObject,
  limits: Type.Partial(strict({ stored_bytes }), { additionalProperties: false }),
};
const optionalProperties = Type.Partial(Type.Object(writableProperties)).properties;

export const CompanyCreate = define(
  'CompanyCreate',
  strict({
    name,
    owner: strict({ name: Name, email: Email, language: Type.Optional(oneOf(LANGUAGES)) }),
    ...optionalProperties,
  }),
);
export type CompanyCreate = Static<typeof CompanyCreate>;

export const CompanyUpdate = define('CompanyUpdate', strict({ name: Type.Optional(name), ...optionalProperties }));
export type CompanyUpdate = Static<typeof CompanyUpdate>;

/** The fields of a company that other records show when they embed it. */
const shownProperties = {
  _id: recordId('company'),
  name: Type.String(),
  channels: Type.Array(oneOf(CHANNEL_NAMES), { description: 'The channels of its active inboxes' }),
  agent_flows: Type.Array(
    Type.Object({
      _id: recordId('agent'),
      name: Type.String(),
      url: nullable(Type.String()),
      specialist_url: nullable(Type.String()),
      type: oneOf(['AI', 'EXTERNAL']),
    }),
  ),
  description: nullable(Type.String()),
  status,
  domains: Type.Array(Type.String()),
  site: nullable(Type.String()),
  general_config: Type.Object({
    language: oneOf(LANGUAGES),
    time_zone: Type.String(),
    country: nullable(Type.String()),
  }),
  agent_builder_mcp_enabled: Type.Boolean(),
  client_mcp_servers_enabled: Type.Boolean(),
  auto_join_enabled: Type.Boolean(),
  subscription: FreeObject,
  document_type: nullable(documentType),
  document_number: nullable(Type.String()),
  payment_customer_id: nullable(Type.String()),
  billing_external: Type.Boolean(),
  billing_partner: Type.Boolean(),
  onboarding: FreeObject,
  attribution: FreeObject,
};

/** A company as other records show it. */
export const OwningCompany = define('OwningCompany', Type.Object(shownProperties));
export type OwningCompany = Static<typeof OwningCompany>;

export const Company = define(
  'Company',
  Type.Object({
    ...shownProperties,
    company: recordId('company'),
    limits: Type.Object({ stored_bytes }),
    usage: Type.Object({
      stored_bytes: Type.Integer({
        description:
          'The size of its records; it can exceed allowed_bytes, because messages from networks are always stored',
      }),
      allowed_bytes: nullable(
        Type.Integer({
          description: 'The limit that applies: the company’s own or else the installation’s; null when there is none',
        }),
      ),
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Company = Static<typeof Company>;

export const CompanyParams = Type.Object({ id: recordId('company') });
export const CompanyList = pageSchema(ref(Company));
export const CompanyQuery = pageQuery('-createdAt', {
  status: Type.Optional(status),
  search: searchParameter('A part of the name'),
});
export type CompanyQuery = Static<typeof CompanyQuery>;
