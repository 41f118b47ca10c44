/** The settings of an inbox on this channel (`web_config`), as they are stored. */
import { Type } from 'typebox';
import { isMaskedSecret } from '../../platform/store/secrets.ts';
import { nullable, strict } from '../../platform/values/schema.ts';
import type { ChannelSettings, SettingsFault } from '../settings.ts';
import { findHoursFault, type OfficeHours } from '../office-hours.ts';
import { WEB_PROPERTIES, WebConfig } from '../web-config.ts';

/** The shortest secret that resists guessing; HS256 asks for as many bytes (RFC 7518, 3.2). */
const MIN_SECRET = 32;

const secretBody = nullable(
  Type.String({
    maxLength: 512,
    description: `Signs the identities of visitors (HS256); at least ${MIN_SECRET} characters. Null: visitors stay anonymous`,
  }),
);

const body = Type.Partial(strict({ ...WEB_PROPERTIES, identity_secret: secretBody }), {
  additionalProperties: false,
  description: 'Settings of the channel WEB_V2',
});
const initial: Omit<WebConfig, 'identity_secret'> = {
  allowed_origins: [],
  color: '#2563eb',
  position: 'RIGHT',
  title: null,
  avatar_url: null,
  welcome_text: null,
  quick_replies: [],
  language: null,
  office_hours: null,
  questions: [],
  identity_required: false,
  show_operator_names: true,
};

export const webSettings: ChannelSettings<WebConfig> = {
  field: 'web_config',
  body,
  record: WebConfig,
  initial,
  secrets: ['identity_secret'],
  // Each inbox is a chat of its own, so its id is its address.
  address: null,
  account: () => null,
  // The browsers of visitors open the picture; the platform does not.
  targets: () => [],
  findFault: (config) => findSecretFault(config) ?? findQuestionFault(config) ?? findOfficeFault(config.office_hours),
  customFields: ({ questions }) =>
    questions.flatMap(({ slug }, index) => (slug === undefined ? [] : [{ path: `questions[${index}].slug`, slug }])),
  sample: {
    ...initial,
    allowed_origins: ['https://shop.example', 'https://*.shop.example:8443'],
    identity_secret: 'a-secret-of-the-site-with-32-characters',
  },
};

/** A secret that is left out keeps its stored value, and one that is a mask does as well. */
function findSecretFault({ identity_secret, identity_required }: Partial<WebConfig>): SettingsFault | null {
  const path = 'identity_secret';
  if (identity_secret === null || identity_secret === undefined)
    return identity_required ? { path, message: 'is required with identity_required' } : null;
  if (isMaskedSecret(identity_secret) || identity_secret.length >= MIN_SECRET) return null;
  return { path, message: `must have at least ${MIN_SECRET} characters` };
}

function findQuestionFault({ questions }: WebConfig): SettingsFault | null {
  const asked = new Set<string>();
  for (const [index, { kind, slug }] of questions.entries()) {
    const path = `questions[${index}]`;
    if (kind === 'CUSTOM_FIELD' && slug === undefined)
      return { path: `${path}.slug`, message: 'is required with CUSTOM_FIELD' };
    if (kind !== 'CUSTOM_FIELD' && slug !== undefined)
      return { path: `${path}.slug`, message: `does not belong to ${kind}` };
    const key = slug ?? kind;
    if (asked.has(key)) return { path, message: 'is asked twice' };
    asked.add(key);
  }
  return null;
}

function findOfficeFault(hours: OfficeHours | null): SettingsFault | null {
  const fault = hours && findHoursFault(hours);
  return fault && { ...fault, path: `office_hours.${fault.path}` };
}
