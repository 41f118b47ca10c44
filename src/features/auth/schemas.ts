import { Type, type Static } from 'typebox';
import { define, nullable, oneOf, recordId, ref, strict, Timestamp, plain } from '../../platform/values/schema.ts';
import { USER_ROLES } from '../../platform/values/scopes.ts';
import { Code, PasskeyAnswer, User } from '../users/schemas.ts';

// At eight characters guessing is hopeless within the rate limit; the upper bound only limits the work of hashing.
const Password = Type.String({ minLength: 8, maxLength: 128, description: 'The new password' });
// The form of an e-mail is not checked here: a text that is no e-mail belongs to no account.
const LoginEmail = Type.String({
  minLength: 1,
  maxLength: 254,
  description: 'The e-mail address; not case-sensitive',
});

const MailedToken = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The part of the mailed link after `#token=`',
});

export const Login = define(
  'Login',
  strict({
    email: LoginEmail,
    password: Type.String({ minLength: 1, maxLength: 128, description: 'The password' }),
    code: Type.Optional(Code),
    company: Type.Optional(
      recordId(
        'company',
        'The company that the session acts for, if the person belongs to several; by default the one used last',
      ),
    ),
  }),
);
export type Login = Static<typeof Login>;

export const BrowserLogin = define(
  'BrowserLogin',
  strict({
    ...Login.properties,
    passkey: Type.Optional(ref(PasskeyAnswer, 'The answer of a passkey to POST /v1/auth/passkey, instead of a code')),
  }),
);
export type BrowserLogin = Static<typeof BrowserLogin>;

export const PasskeyLogin = define(
  'PasskeyLogin',
  strict({ passkey: ref(PasskeyAnswer, 'The answer of the passkey'), company: Login.properties.company }),
);
export type PasskeyLogin = Static<typeof PasskeyLogin>;

export const Session = define(
  'Session',
  Type.Object({
    access_token: plain.text('The token: `Authorization: Bearer <token>`'),
    token_type: oneOf(['Bearer'], 'How to send the token'),
    expires_in: plain.integer('Seconds'),
    user: ref(User, 'The user who logged in'),
  }),
);
export type Session = Static<typeof Session>;

export const BrowserSession = define(
  'BrowserSession',
  Type.Object({
    expires_at: Type.Unsafe<string>({
      ...Timestamp,
      description:
        'When the session ends unless it is used before; each use extends it, up to seven days after the log-in',
    }),
    user: ref(User, 'The user who logged in'),
  }),
);
export type BrowserSession = Static<typeof BrowserSession>;

export const SessionLink = define(
  'SessionLink',
  strict({
    token: Type.String({ minLength: 1, maxLength: 200, description: 'The part of the printed link after `#link=`' }),
  }),
);
export type SessionLink = Static<typeof SessionLink>;

export const ForgotPassword = define('ForgotPassword', strict({ email: LoginEmail }));
export const ResetPassword = define('ResetPassword', strict({ token: MailedToken, new_password: Password }));
export type ResetPassword = Static<typeof ResetPassword>;

export const ReadLink = define('ReadLink', strict({ token: MailedToken }));
export type ReadLink = Static<typeof ReadLink>;

export const PasswordLink = define(
  'PasswordLink',
  Type.Object({
    invitation: plain.flag('True for an invitation that is not accepted yet, false for a forgotten password'),
    company: recordId('company'),
    company_name: plain.text('The name of the company'),
    name: plain.name,
    email: plain.text('The e-mail address that the link is for'),
    has_password: Type.Optional(
      plain.flag(
        'Whether the person has a password. Absent for a link that the inviting user has seen, because the user must not learn it',
      ),
    ),
  }),
);
export type PasswordLink = Static<typeof PasswordLink>;

export const AcceptInvitation = define('AcceptInvitation', strict({ token: MailedToken }));
export type AcceptInvitation = Static<typeof AcceptInvitation>;

export const ForgottenPassword = define(
  'ForgottenPassword',
  Type.Object({
    ok: plain.flag('Always true'),
    mail_server: plain.flag('Whether the platform has a mail server. Without one, mails are files in `DATA_DIR/mail`'),
  }),
);
export type ForgottenPassword = Static<typeof ForgottenPassword>;

export const Done = define('Success', Type.Object({ ok: plain.flag('Always true') }));
export type Done = Static<typeof Done>;

export const Me = define(
  'Me',
  Type.Object({
    type: oneOf(
      ['user', 'company', 'global'],
      'The kind of token: of a user, or of a key of a company or of the installation',
    ),
    company: nullable(
      recordId('company', 'The company that the token acts for; null for a global key without x-company-id'),
    ),
    scopes: Type.Array(Type.String(), {
      description: 'What the token can do, as `resource:action`; `resource:*` and `*` are wildcards',
    }),
    sandbox_url: Type.Optional(
      plain.text('The address of the sandbox, if it runs with the platform. Its phone page is at `/phone`.'),
    ),
    role: Type.Optional(oneOf(USER_ROLES, "The user's role: docs/scopes.md lists the scopes of each role")),
    user: Type.Optional(ref(User, 'The user; absent for a key')),
    inboxes: Type.Optional(
      nullable(
        Type.Array(recordId('inbox'), {
          description: 'The inboxes that the user sees, with their conversations; null for all. Absent for a key',
        }),
      ),
    ),
    lacks_second_factor: Type.Optional(
      plain.flag(
        'True if the company requires a second factor that the user has not set up. Until then, the token has no scopes',
      ),
    ),
    key: Type.Optional(
      plain.object('The API key; absent for a user', {
        _id: recordId('api-key'),
        name: plain.name,
        expires_at: nullable(Timestamp),
      }),
    ),
  }),
);
export type Me = Static<typeof Me>;
