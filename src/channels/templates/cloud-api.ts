/** What holds for templates wherever the Cloud API sends them: by itself, or behind a gateway. */
import { integer, type SettingValues } from '../../platform/values/setting-kinds.ts';
import type { ChannelTemplates } from './network.ts';
import { declareLimit, declareSettingLimit } from '../../platform/values/limits.ts';

declareSettingLimit('NUMBER_THROUGHPUT', {
  topic: 'Campaigns',
  what: 'Throughput of a WhatsApp number',
  unit: 'perSecond',
  beyond: 'the next messages wait',
});

/** The codes for refused templates: wrong parameters, an unknown translation, a paused or disabled template. */
const FIRST_TEMPLATE_CODE = 132_000;
const LAST_TEMPLATE_CODE = 132_999;

/** What the operator sets for all channels that send through the Cloud API. */
export const CLOUD_API_SETTINGS = {
  // In both directions. The network raises it to 1,000 for numbers of good quality.
  NUMBER_THROUGHPUT: integer(80, 1, 100_000),
};
/** Of a number that the business also uses with the network's own app, whatever other numbers have. */
const SHARED_THROUGHPUT = declareLimit(20, {
  topic: 'Campaigns',
  what: 'Throughput of a WhatsApp number: in coexistence',
  unit: 'perSecond',
  beyond: 'the next messages wait',
});

type CloudApiRules = Pick<ChannelTemplates, 'concernsTemplate' | 'readThroughput' | 'restingCodes' | 'undelivered'>;

export const makeCloudApiRules = ({
  NUMBER_THROUGHPUT: most,
}: SettingValues<typeof CLOUD_API_SETTINGS>): CloudApiRules => ({
  readThroughput: (isShared) => (isShared ? Math.min(SHARED_THROUGHPUT, most) : most),
  concernsTemplate: (code) => typeof code === 'number' && code >= FIRST_TEMPLATE_CODE && code <= LAST_TEMPLATE_CODE,
  // Each of them fails with 131049.
  restingCodes: [131_049],
  undelivered: [{ category: 'MARKETING', country: 'US' }],
});

/** The translation is unknown or not approved, the template is paused, or it is disabled. */
const REFUSED_TEMPLATE: readonly (number | string)[] = [132_001, 132_015, 132_016];

/** True for codes by which the Cloud API refuses a template as such, for every recipient. */
export const refusesTemplate = (code: number | string): boolean => REFUSED_TEMPLATE.includes(code);
