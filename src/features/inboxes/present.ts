/** An inbox as answers and events show it. */
import { CHANNEL_SETTINGS, hasTemplates } from '../../channels/registry.ts';
import type { Kit } from '../../kit.ts';
import type { ChangedInbox, InboxRow } from './queries.ts';
import type { Inbox } from './schemas.ts';
import { showSettings } from './settings.ts';

/** The fields that are shown although they are null. */
const SHOWN_NULL = new Set([
  'default_owner',
  'default_team',
  'business_hours',
  'away_text',
  'csat_question',
  'members',
  'history',
]);

/** Returns the inbox as answers show it: empty optional fields are left out, and secrets are masked. */
export function present({ secrets }: Pick<Kit, 'secrets'>, row: InboxRow & Partial<ChangedInbox>): Inbox {
  const {
    network_address: _address,
    network_account: account,
    connection_version: _version,
    callback_told: _told,
    was: _was,
    settings: _settings,
    ...shown
  } = row;
  const settings = showSettings(row, CHANNEL_SETTINGS, secrets);
  const has_templates = hasTemplates(row.channel, account);
  const filled = Object.entries({ ...shown, ...settings, has_templates }).filter(
    ([field, value]) => value !== null || SHOWN_NULL.has(field),
  );
  return Object.fromEntries(filled) as unknown as Inbox;
}
