import { Type, type Static } from 'typebox';

/** How a network asks whether an address is ours. */
export const Handshake = Type.Object({
  'hub.mode': Type.Optional(Type.String()),
  'hub.verify_token': Type.Optional(Type.String()),
  'hub.challenge': Type.Optional(Type.String()),
});
export type Handshake = Static<typeof Handshake>;
