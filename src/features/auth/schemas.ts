import { Type, type Static } from 'typebox';
import { define, Id, nullable, oneOf, ref, strict, Timestamp } from '../../platform/schema.ts';
import { USER_ROLES } from '../../platform/scopes.ts';
import { User } from '../users/schemas.ts';

// Long enough that guessing is hopeless at the rate that is let in; the upper end only bounds the work of hashing.
const Password = Type.String({ minLength: 8, maxLength: 128 });
// Not an e-mail by its form: what is none is simply nobody's.
const LoginEmail = Type.String({ minLength: 1, maxLength: 254 });

export const Login = define(
  'Login',
  strict({ email: LoginEmail, password: Type.String({ minLength: 1, maxLength: 128 }) }),
);
export type Login = Static<typeof Login>;

export const Session = define(
  'Session',
  Type.Object({
    access_token: Type.String(),
    token_type: oneOf(['Bearer']),
    expires_in: Type.Integer({ description: 'Seconds' }),
    user: ref(User),
  }),
);
export type Session = Static<typeof Session>;

export const ForgotPassword = define('ForgotPassword', strict({ email: LoginEmail }));
export const ResetPassword = define(
  'ResetPassword',
  strict({ token: Type.String({ minLength: 1, maxLength: 200 }), new_password: Password }),
);
export type ResetPassword = Static<typeof ResetPassword>;

export const Done = define('Done', Type.Object({ ok: Type.Boolean() }));
export type Done = Static<typeof Done>;

export const Me = define(
  'Me',
  Type.Object({
    type: oneOf(['user', 'company', 'global']),
    company: nullable(Id),
    scopes: Type.Array(Type.String()),
    role: Type.Optional(oneOf(USER_ROLES)),
    user: Type.Optional(ref(User)),
    key: Type.Optional(Type.Object({ _id: Id, name: Type.String(), expires_at: nullable(Timestamp) })),
  }),
);
export type Me = Static<typeof Me>;
