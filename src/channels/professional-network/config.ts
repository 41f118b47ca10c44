import { Type, type Static } from 'typebox';
import { strict } from '../../platform/schema.ts';

export const ProfessionalNetworkConfig = strict({
  account_id: Type.String({ minLength: 1, maxLength: 200 }),
  provider: Type.Optional(Type.String()),
  display_name: Type.Optional(Type.String()),
  profile_url: Type.Optional(Type.String()),
  public_identifier: Type.Optional(Type.String()),
});
export type ProfessionalNetworkConfig = Static<typeof ProfessionalNetworkConfig>;
