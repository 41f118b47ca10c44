import { Type, type Static } from 'typebox';
import { Id } from '../../platform/schema.ts';

/** The query with which a network verifies that an address is ours. */
export const Handshake = Type.Object({
  'hub.mode': Type.Optional(Type.String()),
  'hub.verify_token': Type.Optional(Type.String()),
  'hub.challenge': Type.Optional(Type.String()),
});
export type Handshake = Static<typeof Handshake>;

const PersonNames = Type.Partial(
  Type.Object({ phone: Type.String(), bsuid: Type.String(), parentBsuid: Type.String(), name: Type.String() }),
);

/** Two contacts of one person, and the network's notice that shows it. */
export const SplitPerson = Type.Object({
  renaming: Type.Object({ company: Id, before: PersonNames, person: PersonNames }),
  kept: Id,
  absorbed: Id,
});
