import { listWabaAccounts, findCallbackAddress, type Account } from './accounts.ts';
import { answer, toObject, toText, getOwnProperty, type Answer, type Json } from './exchange.ts';
import { makeErrorAnswer } from './graph-errors.ts';
import { describeHealth } from './standing.ts';
import { checkOverride } from './subscriptions.ts';
import type { Sandbox } from './state.ts';

const DEFAULT_FIELDS =
  'verified_name,code_verification_status,display_phone_number,quality_rating,platform_type,throughput,webhook_configuration';

function describePhoneFields(sandbox: Sandbox, account: Account): Json {
  const { phoneOverride, wabaOverride } = sandbox.graph.accounts;
  const phone = phoneOverride.get(account.phone_number_id)?.url;
  const waba = wabaOverride.get(account.waba_id)?.url;
  return {
    id: account.phone_number_id,
    verified_name: account.verified_name,
    display_phone_number: account.display_phone_number,
    code_verification_status: 'VERIFIED',
    quality_rating: account.quality_rating,
    quality_score: { score: account.quality_rating },
    health_status: describeHealth(account),
    platform_type: 'CLOUD_API',
    is_on_biz_app: account.is_on_biz_app,
    throughput: { level: 'STANDARD' },
    name_status: 'APPROVED',
    status: 'CONNECTED',
    account_mode: 'LIVE',
    is_official_business_account: false,
    whatsapp_business_manager_messaging_limit: sandbox.graph.settings.messaging_limit,
    messaging_limit_tier: sandbox.graph.settings.messaging_limit,
    webhook_configuration: {
      ...(phone === undefined ? {} : { phone_number: phone }),
      ...(waba === undefined ? {} : { whatsapp_business_account: waba }),
      application: findCallbackAddress(sandbox.graph.accounts, account, sandbox.graph.settings.callback_url) ?? '',
    },
  };
}

/** Answers `GET /{phone}?fields=` with the requested fields and always the id, and refuses an unknown field as the network does. */
export function describePhone(sandbox: Sandbox, account: Account, fields: string | null): Answer {
  const all = describePhoneFields(sandbox, account);
  const names = (fields ?? DEFAULT_FIELDS).split(',').map((name) => name.trim());
  const unknown = names.find((name) => !Object.hasOwn(all, name));
  if (unknown !== undefined) {
    return makeErrorAnswer({ code: 100, message: `(#100) Tried accessing nonexisting field (${unknown})` });
  }
  return answer(Object.fromEntries([...names, 'id'].map((name) => [name, getOwnProperty(all, name)])));
}

/** Answers `GET /{waba}/phone_numbers`. */
export function listPhones(sandbox: Sandbox, wabaId: string, fields: string | null): Answer {
  const data = listWabaAccounts(sandbox.graph.accounts, wabaId).map(
    (account) => describePhone(sandbox, account, fields).body,
  );
  return answer({ data });
}

/** Answers `GET /{waba}`. */
export const describeWaba = (id: string): Answer =>
  answer({ id, name: 'Sandbox account', currency: 'BRL', timezone_id: '25', message_template_namespace: 'sandbox' });

/** Answers `POST /{phone}`, which sets or clears this number's own callback. Other settings are accepted and ignored. */
export async function configurePhone(sandbox: Sandbox, account: Account, body: unknown): Promise<Answer> {
  const configuration = toObject(body)['webhook_configuration'];
  if (configuration === undefined) return answer({ success: true });
  const { override_callback_uri, verify_token } = toObject(configuration);
  const url = toText(override_callback_uri);
  if (!url) {
    sandbox.graph.accounts.phoneOverride.delete(account.phone_number_id);
    return answer({ success: true });
  }
  const override = { url, verify_token: toText(verify_token) ?? '' };
  const refusal = await checkOverride(sandbox, override);
  if (refusal !== undefined) return makeErrorAnswer(refusal);
  sandbox.graph.accounts.phoneOverride.set(account.phone_number_id, override);
  return answer({ success: true });
}
