import { Type } from 'typebox';
import { Id } from '../../platform/values/schema.ts';

const PersonNames = Type.Object({
  names: Type.Array(Type.Object({ kind: Type.String(), value: Type.String(), address: Type.String() })),
  displayName: Type.Optional(Type.String()),
});

/** Two contacts of one person, and the network's notice that they are the same person. */
export const SplitPerson = Type.Object({
  renaming: Type.Object({ company: Id, before: PersonNames, person: PersonNames }),
  kept: Id,
  absorbed: Id,
});
