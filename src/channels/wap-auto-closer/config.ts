/** The settings of an inbox on this channel (`api_wap_config`), as they are stored. */
import { Type, type Static } from 'typebox';
import { explainedPattern, nullable, strict } from '../../platform/schema.ts';

/**
 * Ids of the network: decimal strings beyond 2^53, never numbers. Only visible characters, and no dot segment, since
 * they become part of a path.
 */
const NetworkId = Type.String({
  minLength: 1,
  maxLength: 64,
  ...explainedPattern('^(?!\\.{1,2}$)[!-~]+$', 'must be an id as the network shows it, without spaces'),
});

export const wapConfig = strict({
  phone_number_id: NetworkId,
  business_id: NetworkId,
  waba_id: NetworkId,
  business_token: Type.Optional(nullable(Type.String({ maxLength: 4096 }))),
});

export type WapConfig = Static<typeof wapConfig>;
