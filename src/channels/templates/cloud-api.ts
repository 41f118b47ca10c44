/** What holds for templates wherever the Cloud API sends them: by itself, or behind a gateway. */
import type { ChannelTemplates } from './network.ts';

/** The codes for refused templates: wrong parameters, an unknown translation, a paused or disabled template. */
const FIRST_TEMPLATE_CODE = 132_000;
const LAST_TEMPLATE_CODE = 132_999;

export const CLOUD_API_RULES: Pick<ChannelTemplates, 'concernsTemplate' | 'restingCodes' | 'undelivered'> = {
  concernsTemplate: (code) => typeof code === 'number' && code >= FIRST_TEMPLATE_CODE && code <= LAST_TEMPLATE_CODE,
  // Each of them fails with 131049.
  restingCodes: [131_049],
  undelivered: [{ category: 'MARKETING', country: 'US' }],
};

/** The translation is unknown or not approved, the template is paused, or it is disabled. */
const REFUSED_TEMPLATE: readonly (number | string)[] = [132_001, 132_015, 132_016];

/** True for codes by which the Cloud API refuses a template as such, for every recipient. */
export const refusesTemplate = (code: number | string): boolean => REFUSED_TEMPLATE.includes(code);
