import { Type, type Static } from 'typebox';
import { pageOf, pageQuery } from '../../platform/paging.ts';
import { define, Id, nullable, oneOf, ref, strict, Timestamp, Name } from '../../platform/schema.ts';
import { USER_ROLES } from '../../platform/scopes.ts';

export const LANGUAGES = ['pt-BR', 'en', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

const USER_STATUSES = ['ACTIVE', 'INVITED', 'INACTIVE'] as const;

/** RFC 5321 allows no longer address. */
export const Email = Type.String({ format: 'email', maxLength: 254 });

const role = oneOf(USER_ROLES);
const language = oneOf(LANGUAGES, { description: 'Of the mails that we send' });

export const UserCreate = define(
  'UserCreate',
  strict({ name: Name, email: Email, role, language: Type.Optional(language) }),
);
export type UserCreate = Static<typeof UserCreate>;

export const UserUpdate = define(
  'UserUpdate',
  Type.Partial(strict({ name: Name, email: Email, role, language, status: oneOf(['ACTIVE', 'INACTIVE']) }), {
    additionalProperties: false,
  }),
);
export type UserUpdate = Static<typeof UserUpdate>;

export const User = define(
  'User',
  Type.Object({
    _id: Id,
    company: Id,
    name: Type.String(),
    email: Type.String(),
    role,
    status: oneOf(USER_STATUSES, { description: 'INVITED until the password is set' }),
    language,
    last_login_at: nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type User = Static<typeof User>;

export const UserParams = Type.Object({ id: Id });
export const UserList = pageOf(ref(User));
export const UserQuery = pageQuery('-createdAt', {
  status: Type.Optional(oneOf(USER_STATUSES)),
  role: Type.Optional(role),
});
export type UserQuery = Static<typeof UserQuery>;
