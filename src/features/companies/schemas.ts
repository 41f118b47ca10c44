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
  plain,
} from '../../platform/values/schema.ts';
import { Email, LANGUAGES } from '../users/schemas.ts';

const COMPANY_STATUSES = ['ACTIVE', 'SUSPENDED'] as const;

/** An object of free form; companies.ts limits it to 16 kB. */
const freeObject = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description });

const name = Name;
const domain = Type.String({
  maxLength: 253,
  ...explainedPattern(
    String.raw`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$`,
    'must be a domain in lowercase letters, such as example.com',
  ),
});
const documentType = oneOf(['CPF', 'CNPJ', 'OTHER'], 'The kind of document that identifies the company');
const status = oneOf(COMPANY_STATUSES, 'SUSPENDED: its keys and sessions are rejected until it is ACTIVE again');
const stored_bytes = nullable(
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'How many bytes of records the company can store; with null, the installation’s COMPANY_QUOTA applies',
  }),
);

const writableProperties = {
  description: nullable(Type.String({ maxLength: 2_000, description: 'What the field is for, shown to people' })),
  domains: Type.Array(domain, {
    maxItems: 50,
    uniqueItems: true,
    description: 'Internet domains of the company',
  }),
  site: nullable(Type.String({ minLength: 1, maxLength: 2_048, description: 'http or https' })),
  general_config: Type.Partial(
    strict({
      language: oneOf(LANGUAGES, 'The language, as a BCP 47 tag'),
      time_zone: Type.String({ maxLength: 64, description: 'America/Sao_Paulo' }),
      country: nullable(
        Type.String({
          ...Country,
          description:
            "ISO 3166 alpha-2: the country of phone numbers that are written without + or 00. A new company's is " +
            'derived from its time zone, or else from its language; null: none',
        }),
      ),
    }),
    { additionalProperties: false, description: 'Settings for the entire company' },
  ),
  status,
  agent_builder_mcp_enabled: plain.flag("Whether the company's agents can be built over MCP"),
  client_mcp_servers_enabled: plain.flag("Whether the company's agents can use MCP servers of its own"),
  auto_join_enabled: plain.flag('Whether people with an e-mail address of one of the domains can join by themselves'),
  subscription: freeObject("The operator's notes on the subscription"),
  document_type: nullable(documentType),
  document_number: nullable(
    Type.String({
      minLength: 1,
      maxLength: 32,
      description: "The number of the company's registration document, such as its CNPJ or CPF",
    }),
  ),
  payment_customer_id: nullable(
    Type.String({ minLength: 1, maxLength: 200, description: "The company's id at the payment service" }),
  ),
  billing_external: plain.flag('Whether someone other than the platform bills the company'),
  billing_partner: plain.flag('Whether a partner bills the company'),
  onboarding: freeObject("The operator's notes on the onboarding"),
  attribution: freeObject("The operator's notes on where the company came from"),
  limits: Type.Partial(strict({ stored_bytes }), {
    additionalProperties: false,
    description: "The company's quota; set with a global key",
  }),
};
const optionalProperties = Type.Partial(Type.Object(writableProperties)).properties;

export const CompanyCreate = define(
  'CompanyCreate',
  strict({
    name,
    owner: plain.strict('The first owner, who is invited', {
      name: Name,
      email: Email,
      language: Type.Optional(oneOf(LANGUAGES, 'The language, as a BCP 47 tag')),
    }),
    ...optionalProperties,
  }),
);
export type CompanyCreate = Static<typeof CompanyCreate>;

const second_factor_required = plain.flag(
  'Whether users can do nothing before they have set up two-factor log-in. Changed by logged-in owners and admins who have it',
);

export const CompanyUpdate = define(
  'CompanyUpdate',
  strict({
    name: Type.Optional(name),
    ...optionalProperties,
    second_factor_required: Type.Optional(second_factor_required),
  }),
);
export type CompanyUpdate = Static<typeof CompanyUpdate>;

/** The fields of a company that other records show when they embed it. */
const shownProperties = {
  _id: recordId('company'),
  name: plain.name,
  channels: Type.Array(oneOf(CHANNEL_NAMES), { description: 'The channels of its active inboxes' }),
  agent_flows: Type.Array(
    Type.Object({
      _id: recordId('agent'),
      name: plain.name,
      url: nullable(plain.text("The address of the company's server that answers")),
      specialist_url: nullable(plain.text("The address of the agent's specialist")),
      type: oneOf(['AI', 'EXTERNAL'], 'Whether the agent belongs to the platform or is a server of the company'),
    }),
    { description: "The company's agents" },
  ),
  description: nullable(plain.text('What the field is for, shown to people')),
  status,
  domains: Type.Array(Type.String(), { description: 'Internet domains of the company' }),
  site: nullable(plain.text("The company's website")),
  general_config: plain.object('Settings for the entire company', {
    language: oneOf(LANGUAGES, 'The language, as a BCP 47 tag'),
    time_zone: plain.text('The time zone, by its IANA name'),
    country: nullable(plain.text('ISO 3166 alpha-2: the country of phone numbers that are written without + or 00')),
  }),
  agent_builder_mcp_enabled: plain.flag("Whether the company's agents can be built over MCP"),
  client_mcp_servers_enabled: plain.flag("Whether the company's agents can use MCP servers of its own"),
  auto_join_enabled: plain.flag('Whether people with an e-mail address of one of the domains can join by themselves'),
  subscription: freeObject("The operator's notes on the subscription"),
  document_type: nullable(documentType),
  document_number: nullable(plain.text("The number of the company's registration document, such as its CNPJ or CPF")),
  payment_customer_id: nullable(plain.text("The company's id at the payment service")),
  billing_external: plain.flag('Whether someone other than the platform bills the company'),
  billing_partner: plain.flag('Whether a partner bills the company'),
  onboarding: freeObject("The operator's notes on the onboarding"),
  attribution: freeObject("The operator's notes on where the company came from"),
};

/** A company as other records show it. */
export const OwningCompany = define('OwningCompany', Type.Object(shownProperties));
export type OwningCompany = Static<typeof OwningCompany>;

export const Company = define(
  'Company',
  Type.Object({
    ...shownProperties,
    company: recordId('company'),
    limits: plain.object("The company's quota; set with a global key", { stored_bytes }),
    usage: plain.object('How much of its quota the company uses', {
      stored_bytes: plain.integer(
        'The size of its records; it can exceed allowed_bytes, because messages from networks are always stored',
      ),
      allowed_bytes: nullable(
        plain.integer('The limit that applies: the company’s own, or else the installation’s; null if there is none'),
      ),
    }),
    second_factor_required,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Company = Static<typeof Company>;

export const CompanyParams = Type.Object({ id: recordId('company') });
export const CompanyList = pageSchema(ref(Company));
export const CompanyQuery = pageQuery('-createdAt', {
  status: Type.Optional(status),
  search: searchParameter('Part of the name'),
});
export type CompanyQuery = Static<typeof CompanyQuery>;
