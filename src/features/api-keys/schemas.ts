import { Type, type Static } from 'typebox';
import { pageSchema, pageQuery } from '../../platform/store/paging.ts';
import {
  define,
  Name,
  nullable,
  oneOf,
  recordId,
  ref,
  strict,
  Timestamp,
  plain,
} from '../../platform/values/schema.ts';
import { GRANTABLE } from '../../platform/values/scopes.ts';

const KEY_TYPES = ['company', 'global'] as const;
const TOKEN_FORMATS = ['JWT', 'SHORT'] as const;

const name = Name;

export const ApiKeyCreate = define(
  'ApiKeyCreate',
  strict({
    name,
    type: oneOf(KEY_TYPES, 'global: acts for the company in x-company-id; only global keys can create one'),
    scopes: Type.Array(oneOf(GRANTABLE), {
      minItems: 1,
      maxItems: GRANTABLE.length,
      uniqueItems: true,
      description: 'What the token can do, as `resource:action`; `resource:*` and `*` are wildcards',
    }),
    expires_at: Type.Optional(nullable(Timestamp)),
    format: Type.Optional(
      oneOf(TOKEN_FORMATS, 'SHORT: a token of 46 characters, for clients with little room. JWT by default'),
    ),
  }),
);
export type ApiKeyCreate = Static<typeof ApiKeyCreate>;

const keyProperties = {
  _id: recordId('api-key'),
  company: nullable(recordId('company')),
  name: plain.name,
  type: oneOf(KEY_TYPES, 'Whether the key belongs to a company or to the installation'),
  hint: plain.text('The last characters of the token, to distinguish keys in a list'),
  scopes: Type.Array(Type.String(), {
    description: 'What the token can do, as `resource:action`; `resource:*` and `*` are wildcards',
  }),
  created_by: nullable(
    recordId(
      ['user', 'api-key'],
      'The user or key that created this key, even if it has been removed since; null if the operator created it',
    ),
  ),
  expires_at: nullable(Timestamp),
  last_used_at: nullable(Timestamp),
  revoked_at: nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const ApiKey = define('ApiKey', Type.Object(keyProperties));
export type ApiKey = Static<typeof ApiKey>;

export const ApiKeyMade = define(
  'ApiKeyMade',
  Type.Object({
    ...keyProperties,
    token: nullable(
      plain.text(
        'The token is shown only in this response, because only its hash is stored. Null in the response to a repeated request',
      ),
    ),
  }),
);
export type ApiKeyMade = Static<typeof ApiKeyMade>;

export const ApiKeyParams = Type.Object({ id: recordId('api-key') });
export const ApiKeyList = pageSchema(ref(ApiKey));
export const ApiKeyQuery = pageQuery('-createdAt', {
  created_by: Type.Optional(recordId(['user', 'api-key'], 'Keys that this user or key created')),
});
export type ApiKeyQuery = Static<typeof ApiKeyQuery>;
