import { Type, type Static } from 'typebox';
import { pageSchema, pageQuery } from '../../platform/store/paging.ts';
import {
  define,
  Name,
  NOT_BLANK,
  nullable,
  oneOf,
  recordId,
  ref,
  strict,
  Timestamp,
  webAddress,
  plain,
} from '../../platform/values/schema.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { USER_ROLES } from '../../platform/values/scopes.ts';
import { ApiKey } from '../api-keys/schemas.ts';

export const LANGUAGES = ['pt-BR', 'en', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

const USER_STATUSES = ['ACTIVE', 'INVITED', 'INACTIVE'] as const;

/** RFC 5321 allows no longer e-mail address. */
export const Email = Type.String({
  format: 'email',
  maxLength: 254,
  description: 'The e-mail address; not case-sensitive',
});

const role = oneOf(USER_ROLES, "The user's role: docs/scopes.md lists the scopes of each role");
const language = oneOf(LANGUAGES, 'The language of e-mails to the user');
const availability = oneOf(
  ['ONLINE', 'AWAY'],
  'Whether teams give conversations to the user; an AWAY user keeps those that they own',
);
const AVATAR = 'The address of a picture, which visitors of a web chat see next to the name';
const avatar_url = nullable(webAddress(AVATAR));
const SIGNATURE =
  'The text below the mails that the user writes, instead of the signature of the inbox. null: that of the inbox';
/** The signature of a user, as a request gives it. */
export const signature = nullable(
  Type.String({
    minLength: 1,
    maxLength: declareLimit(2_000, {
      topic: 'E-mail',
      what: 'Signature of a user',
      unit: 'characters',
      beyond: '400',
    }),
    ...NOT_BLANK,
    description: `${SIGNATURE}; {{user.name}} is the name of the user`,
  }),
);

export const UserCreate = define(
  'UserCreate',
  strict({ name: Name, email: Email, role, language: Type.Optional(language) }),
);
export type UserCreate = Static<typeof UserCreate>;

export const UserUpdate = define(
  'UserUpdate',
  Type.Partial(
    strict({
      name: Name,
      email: Email,
      role,
      language,
      avatar_url,
      availability,
      signature,
      status: oneOf(['ACTIVE', 'INACTIVE'], 'INACTIVE: the user is logged out of the company and cannot log in to it'),
    }),
    {
      additionalProperties: false,
    },
  ),
);
export type UserUpdate = Static<typeof UserUpdate>;

const userProperties = {
  _id: recordId('user'),
  company: recordId('company'),
  name: plain.name,
  email: plain.text('The e-mail address; not case-sensitive'),
  role,
  status: oneOf(USER_STATUSES, 'INVITED until the mailed invitation is accepted'),
  language,
  availability,
  avatar_url: nullable(plain.text(AVATAR)),
  signature: nullable(plain.text(SIGNATURE)),
  last_login_at: nullable(Timestamp),
  second_factor: plain.flag('Whether the user logs in with a second factor; false while INVITED'),
  single_sign_on: plain.flag('Whether the user is linked with an account at the OpenID provider of the company'),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const User = define('User', Type.Object(userProperties));
export type User = Static<typeof User>;

export const Code = Type.String({
  minLength: 1,
  maxLength: 40,
  description: 'A code of the authenticator app, or a recovery code; each works once',
});

const Password = Type.String({ minLength: 1, maxLength: 128, description: 'The password' });

/** What a user gives to change their second factor. */
export const FactorProof = define('SecondFactorProof', strict({ password: Password, code: Code }));
export type FactorProof = Static<typeof FactorProof>;

export const SecondFactor = define(
  'SecondFactor',
  Type.Object({
    enabled: plain.flag('Whether the log-in needs a code'),
    required: plain.flag('Whether the company requires it'),
    recovery_codes_left: plain.integer('How many recovery codes have not been used'),
    has_password: plain.flag('Whether the user has a password, which every change of a second factor needs'),
  }),
);
export type SecondFactor = Static<typeof SecondFactor>;

export const FactorBegun = define(
  'SecondFactorBegun',
  Type.Object({
    secret: plain.text('The secret to type into an authenticator app, in base 32'),
    uri: plain.text('The same as an `otpauth:` address, to be shown as a QR code'),
  }),
);
export type FactorBegun = Static<typeof FactorBegun>;

/** A part of what the browser says about a passkey, in base64url. */
const bytes = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description });
const CREDENTIAL_LENGTH = 1_400;
const credential = {
  id: bytes(CREDENTIAL_LENGTH, 'The id of the credential'),
  rawId: bytes(CREDENTIAL_LENGTH, 'The id of the credential'),
  type: oneOf(['public-key'], 'The type of the credential'),
  authenticatorAttachment: Type.Optional(
    nullable(oneOf(['platform', 'cross-platform'], 'Whether the key is in the device itself')),
  ),
  clientExtensionResults: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'Results of extensions, which are not read',
    }),
  ),
};
const CLIENT_DATA = 'What the browser has signed over, as JSON';
const transports = Type.Array(Type.String({ maxLength: 20 }), {
  maxItems: 10,
  description: 'How the browser reaches the key',
});

/** What `PublicKeyCredential.toJSON()` returns for a new passkey. */
const NewCredential = plain.strict('What `PublicKeyCredential.toJSON()` returns in the browser', {
  ...credential,
  response: plain.strict('The answer of the key', {
    clientDataJSON: bytes(4_000, CLIENT_DATA),
    attestationObject: bytes(8_000, 'The public key, in CBOR'),
    authenticatorData: Type.Optional(bytes(4_000, 'Not read')),
    publicKey: Type.Optional(nullable(bytes(4_000, 'Not read'))),
    publicKeyAlgorithm: Type.Optional(plain.integer('Not read')),
    transports: Type.Optional(transports),
  }),
});
export type NewCredential = Static<typeof NewCredential>;

/** What `PublicKeyCredential.toJSON()` returns for a log-in. */
export const PasskeyAnswer = define(
  'PasskeyAnswer',
  strict({
    ...credential,
    response: plain.strict('The answer of the key', {
      clientDataJSON: bytes(4_000, CLIENT_DATA),
      authenticatorData: bytes(4_000, 'What the key says about itself'),
      signature: bytes(4_000, 'The signature'),
      userHandle: Type.Optional(nullable(bytes(200, 'Not read'))),
    }),
  }),
);
export type PasskeyAnswer = Static<typeof PasskeyAnswer>;

const OwnPasskey = Type.Optional(ref(PasskeyAnswer, 'The answer of one of your passkeys to POST /v1/auth/passkey'));

/** What a user gives to set up two-factor log-in. */
export const FactorCode = define(
  'SecondFactorCode',
  strict({
    code: Type.String({ minLength: 1, maxLength: 40, description: 'A code of the authenticator app' }),
    password: Password,
    passkey: OwnPasskey,
  }),
);
export type FactorCode = Static<typeof FactorCode>;

export const PasskeyOptions = define(
  'PasskeyOptions',
  Type.Object({
    options: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'What the browser reads with `PublicKeyCredential.parse…OptionsFromJSON()`',
    }),
  }),
);
export type PasskeyOptions = Static<typeof PasskeyOptions>;

export const PasskeyCreate = define('PasskeyCreate', strict({ name: Name, credential: NewCredential }));
export type PasskeyCreate = Static<typeof PasskeyCreate>;
export const PasskeyUpdate = define('PasskeyUpdate', strict({ name: Name }));
export type PasskeyUpdate = Static<typeof PasskeyUpdate>;

/** What a user gives to add or remove a passkey. */
export const PasskeyProof = define(
  'PasskeyProof',
  strict({ password: Password, code: Type.Optional(Code), passkey: OwnPasskey }),
);
export type PasskeyProof = Static<typeof PasskeyProof>;

export const Passkey = define(
  'Passkey',
  Type.Object({
    _id: recordId('passkey'),
    name: plain.name,
    last_used_at: nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Passkey = Static<typeof Passkey>;
export const PasskeyParams = Type.Object({ id: recordId('passkey') });
export const PasskeyList = pageSchema(ref(Passkey));
export const PasskeyQuery = pageQuery('-createdAt', {});
export type PasskeyQuery = Static<typeof PasskeyQuery>;

export const RecoveryCodes = define(
  'RecoveryCodes',
  Type.Object({
    recovery_codes: Type.Array(Type.String(), {
      description:
        'Codes for logging in without the authenticator app; each works once. They are in this response only',
    }),
  }),
);
export type RecoveryCodes = Static<typeof RecoveryCodes>;

const invitation_link = Type.Optional(
  plain.text(
    'The link that accepts the invitation, for 72 hours. Only if the platform cannot send mails (no ' +
      '`SMTP_URL`), only for callers with users:create, and only in this response: pass it to the person ' +
      'yourself',
  ),
);

export const InvitedUser = define('InvitedUser', Type.Object({ ...userProperties, invitation_link }));
export type InvitedUser = Static<typeof InvitedUser>;

export const UserChanged = define(
  'UserChanged',
  Type.Object({
    ...userProperties,
    invitation_link,
    api_keys: Type.Optional(
      Type.Array(ref(ApiKey), {
        description:
          'If the user was removed, deactivated or given a role with fewer rights: the newest hundred valid keys ' +
          'that the user, or a key of the user, created; with revoke_keys=true, those that were revoked. Omitted ' +
          'for callers without api-keys:read',
      }),
    ),
  }),
);
export type UserChanged = Static<typeof UserChanged>;

export const UserChange = Type.Object(
  {
    revoke_keys: Type.Optional(
      plain.flag(
        'true: revokes the keys that the user, or a key of the user, created; also needs the scope api-keys:delete',
      ),
    ),
  },
  { additionalProperties: false },
);
export type UserChange = Static<typeof UserChange>;

export const UserParams = Type.Object({ id: recordId('user') });
export const UserList = pageSchema(ref(User));
export const UserQuery = pageQuery('-createdAt', {
  status: Type.Optional(oneOf(USER_STATUSES, 'Only records with this status')),
  role: Type.Optional(role),
});
export type UserQuery = Static<typeof UserQuery>;
