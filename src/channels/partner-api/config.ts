import { Type, type Static } from 'typebox';
import { strict } from '../../platform/schema.ts';

export const PartnerApiConfig = strict({
  base_url: Type.String({ minLength: 1, maxLength: 2048 }),
  api_key: Type.String({ minLength: 1, maxLength: 1024 }),
  instance_name: Type.String({ minLength: 1, maxLength: 200 }),
});
export type PartnerApiConfig = Static<typeof PartnerApiConfig>;
