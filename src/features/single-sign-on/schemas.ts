import { Type, type Static } from 'typebox';
import { declareLimit } from '../../platform/values/limits.ts';
import {
  define,
  explainedPattern,
  nullable,
  oneOf,
  plain,
  recordId,
  ref,
  strict,
  Timestamp,
  webAddress,
} from '../../platform/values/schema.ts';
import { USER_ROLES } from '../../platform/values/scopes.ts';
import { Code, PasskeyAnswer } from '../users/schemas.ts';

const MAX_DOMAINS = declareLimit(20, {
  topic: 'Accounts',
  what: 'Single sign-on: domains of a company',
  beyond: '400',
});

const words = {
  enabled: 'Whether users can log in with single sign-on',
  issuer: 'The issuer of the provider, below which it has `/.well-known/openid-configuration`',
  client_id: 'The identifier with which the platform is registered at the provider',
  domains:
    'The domains of the e-mail addresses that may log in. Each belongs to one company. A new one can be added only by an owner whose own address is on it, or with a global key',
  create_users: 'Whether the first log-in of a person without a user creates one',
  role: 'The role of users created in this way',
  password_login: 'Whether users can also log in without the provider. Owners always can',
  satisfies_second_factor:
    'Whether a log-in with single sign-on needs no second factor of the platform, even if the company requires one',
  trust_unverified_email:
    'Whether an address counts that the provider does not mark with `email_verified`. Only for a provider whose users cannot change their address',
};

const Domain = Type.String({
  maxLength: 253,
  ...explainedPattern(
    String.raw`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$`,
    'must be a domain in lowercase letters, such as example.com',
  ),
});
const domains = Type.Array(Domain, { maxItems: MAX_DOMAINS, uniqueItems: true, description: words.domains });
const role = oneOf(USER_ROLES, words.role);
const text = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description });

const switches = {
  enabled: plain.flag(words.enabled),
  create_users: plain.flag(words.create_users),
  role,
  password_login: plain.flag(words.password_login),
  satisfies_second_factor: plain.flag(words.satisfies_second_factor),
  trust_unverified_email: plain.flag(words.trust_unverified_email),
};

export const SingleSignOn = define(
  'SingleSignOn',
  Type.Object({
    company: recordId('company'),
    issuer: nullable(plain.text(words.issuer)),
    client_id: nullable(plain.text(words.client_id)),
    has_client_secret: plain.flag('Whether a client secret is stored. It is in no response'),
    domains: Type.Array(Type.String(), { description: words.domains }),
    ...switches,
    redirect_uri: plain.text('The redirect URI to register at the provider'),
    createdAt: nullable(Timestamp),
    updatedAt: nullable(Timestamp),
  }),
);
export type SingleSignOn = Static<typeof SingleSignOn>;

export const SingleSignOnUpdate = define(
  'SingleSignOnUpdate',
  strict({
    issuer: webAddress(words.issuer),
    client_id: text(500, words.client_id),
    client_secret: Type.Optional(
      nullable(
        text(
          2_000,
          'The secret of the client; null for a client without one. Without this field the stored secret stays, unless issuer or client_id change',
        ),
      ),
    ),
    domains,
    ...Type.Partial(Type.Object(switches)).properties,
  }),
);
export type SingleSignOnUpdate = Static<typeof SingleSignOnUpdate>;

const PROVIDER_REASONS = [
  'NOT_ALLOWED',
  'UNREACHABLE',
  'TLS',
  'TIMEOUT',
  'NOT_OPENID',
  'OTHER_ISSUER',
  'INCOMPLETE',
  'NOT_HTTPS',
] as const;
export type ProviderReason = (typeof PROVIDER_REASONS)[number];

export const SingleSignOnTest = define(
  'SingleSignOnTest',
  Type.Object({
    ok: plain.flag('Whether the provider answers as single sign-on needs it'),
    reason: nullable(oneOf(PROVIDER_REASONS, 'What is wrong: docs/single-sign-on.md explains each')),
    problem: nullable(plain.text('What is wrong, in a sentence')),
    authorization_endpoint: nullable(plain.text('Where the provider logs people in')),
  }),
);
export type SingleSignOnTest = Static<typeof SingleSignOnTest>;

export const SingleSignOnBegin = define(
  'SingleSignOnBegin',
  strict({
    email: Type.Optional(text(254, 'The e-mail address of the user; only its domain matters')),
    company: Type.Optional(recordId('company', 'The company, instead of an address')),
  }),
);
export type SingleSignOnBegin = Static<typeof SingleSignOnBegin>;

export const SingleSignOnBegun = define(
  'SingleSignOnBegun',
  Type.Object({ redirect_to: plain.text('The page of the provider to which the browser goes') }),
);
export type SingleSignOnBegun = Static<typeof SingleSignOnBegun>;

export const SingleSignOnFinish = define(
  'SingleSignOnFinish',
  strict({
    query: Type.Optional(text(8_192, 'The query with which the provider has opened the redirect URI')),
    code: Type.Optional(Code),
    passkey: Type.Optional(ref(PasskeyAnswer, 'The answer of a passkey to POST /v1/auth/passkey, instead of a code')),
  }),
);
export type SingleSignOnFinish = Static<typeof SingleSignOnFinish>;
