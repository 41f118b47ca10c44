import type { Account, Accounts } from './accounts.ts';
import { answer, toObject, toText, type Answer } from './exchange.ts';
import { makeErrorAnswer } from './graph-errors.ts';

const SYNC_TYPES = ['smb_app_state_sync', 'history'];

/** Answers `POST /{phone}/smb_app_data`. The network accepts each type once for a phone. */
export function requestSync({ synced }: Accounts, { phone_number_id }: Account, body: unknown): Answer {
  const { messaging_product, sync_type } = toObject(body);
  const type = toText(sync_type) ?? '';
  if (messaging_product !== 'whatsapp' || !SYNC_TYPES.includes(type))
    return makeErrorAnswer({ code: 100, message: '(#100) Invalid parameter' });
  const before = synced.get(phone_number_id) ?? [];
  if (before.includes(type)) return makeErrorAnswer({ code: 100, message: '(#100) The sync was requested before' });
  synced.set(phone_number_id, [...before, type]);
  return answer({ messaging_product: 'whatsapp', request_id: String(Date.now()) });
}
