/** Asks the network of an inbox which phone numbers it knows. */
import type { Kit } from '../../kit.ts';
import { expectFound } from '../../platform/values/errors.ts';
import { isPhoneFault, onlyDigits, readPhone } from '../../platform/values/phone.ts';
import type { Tenant } from '../../platform/store/tenant.ts';
import { callInTurn } from './network-turns.ts';
import { findInbox, type InboxRow } from './queries.ts';
import type { CheckedNumbers, NumberCheck } from './schemas.ts';
import { openSettings, readSettings } from './settings.ts';

export async function checkNumbers(
  kit: Kit,
  tenant: Tenant,
  id: string,
  { numbers }: NumberCheck,
): Promise<CheckedNumbers> {
  const row = expectFound(await findInbox(tenant.read, id));
  const digits = numbers.map(readDigits);
  const asked = digits.filter((each) => each !== null);
  const known = asked.length > 0 ? await ask(kit, row, [...new Set(asked)]) : null;
  return {
    result: numbers.map((number, index) => {
      const own = digits[index] ?? null;
      const exists = own === null ? false : known && known.has(own);
      return { number, exists, network_id: (own !== null && known?.get(own)) || null };
    }),
  };
}

/** Null for a number that cannot exist. */
function readDigits(number: string): string | null {
  const phone = readPhone(number.startsWith('+') ? number : `+${onlyDigits(number)}`, null);
  return isPhoneFault(phone) ? null : onlyDigits(phone.phone_number);
}

/** Null when the network cannot be asked, or did not answer. */
async function ask(kit: Kit, row: InboxRow, numbers: string[]): Promise<Map<string, string> | null> {
  const channel = kit.channels.get(row.channel);
  const { findNumbers } = channel;
  if (!findNumbers || row.status !== 'ACTIVE' || !readSettings(row, channel)) return null;
  const settings = openSettings(row, channel, kit.secrets);
  return callInTurn(row.company, (signal) =>
    findNumbers(numbers, settings, signal).catch((error: unknown) => {
      // Failure policy: that nobody knows is an answer; a caller can ask again.
      kit.log.info({ err: error, inbox: row._id }, 'inboxes: the network did not say which numbers it knows');
      return null;
    }),
  );
}
