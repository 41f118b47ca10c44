import { accountsOfWaba, callbackAddress, type Account } from './accounts.ts';
import { answer, asObject, asText, own, type Answer, type Json } from './exchange.ts';
import { errorAnswer } from './graph-errors.ts';
import { checkOverride } from './subscriptions.ts';
import type { Sandbox } from './state.ts';

const DEFAULT_FIELDS =
  'verified_name,code_verification_status,display_phone_number,quality_rating,platform_type,throughput,webhook_configuration';

function phoneFields(sandbox: Sandbox, account: Account): Json {
  const { phoneOverride, wabaOverride } = sandbox.graph.accounts;
  const phone = phoneOverride.get(account.phone_number_id)?.url;
  const waba = wabaOverride.get(account.waba_id)?.url;
  return {
    id: account.phone_number_id,
    verified_name: account.verified_name,
    display_phone_number: account.display_phone_number,
    code_verification_status: 'VERIFIED',
    quality_rating: 'GREEN',
    quality_score: { score: 'GREEN' },
    platform_type: 'CLOUD_API',
    is_on_biz_app: account.is_on_biz_app,
    throughput: { level: 'STANDARD' },
    name_status: 'APPROVED',
    status: 'CONNECTED',
    account_mode: 'LIVE',
    is_official_business_account: false,
    whatsapp_business_manager_messaging_limit: 'TIER_2K',
    messaging_limit_tier: 'TIER_2K',
    webhook_configuration: {
      ...(phone === undefined ? {} : { phone_number: phone }),
      ...(waba === undefined ? {} : { whatsapp_business_account: waba }),
      application: callbackAddress(sandbox.graph.accounts, account, sandbox.graph.settings.callback_url) ?? '',
    },
  };
}

/** `GET /{phone}?fields=`: answers the requested fields and always the id, and refuses an unknown field as the network does. */
export function describePhone(sandbox: Sandbox, account: Account, fields: string | null): Answer {
  const all = phoneFields(sandbox, account);
  const names = (fields ?? DEFAULT_FIELDS).split(',').map((name) => name.trim());
  const unknown = names.find((name) => !Object.hasOwn(all, name));
  if (unknown !== undefined) {
    return errorAnswer({ code: 100, message: `(#100) Tried accessing nonexisting field (${unknown})` });
  }
  return answer(Object.fromEntries([...names, 'id'].map((name) => [name, own(all, name)])));
}

/** Answers `GET /{waba}/phone_numbers`. */
export function listPhones(sandbox: Sandbox, wabaId: string, fields: string | null): Answer {
  const data = accountsOfWaba(sandbox.graph.accounts, wabaId).map(
    (account) => describePhone(sandbox, account, fields).body,
  );
  return answer({ data });
}

/** Answers `GET /{waba}`. */
export const describeWaba = (id: string): Answer =>
  answer({ id, name: 'Sandbox account', currency: 'BRL', timezone_id: '25', message_template_namespace: 'sandbox' });

/** `POST /{phone}`: sets or clears this number's own callback; other settings are accepted and ignored. */
export async function configurePhone(sandbox: Sandbox, account: Account, body: unknown): Promise<Answer> {
  const configuration = asObject(body)['webhook_configuration'];
  if (configuration === undefined) return answer({ success: true });
  const { override_callback_uri, verify_token } = asObject(configuration);
  const url = asText(override_callback_uri);
  if (!url) {
    sandbox.graph.accounts.phoneOverride.delete(account.phone_number_id);
    return answer({ success: true });
  }
  const override = { url, verify_token: asText(verify_token) ?? '' };
  const refusal = await checkOverride(sandbox, override);
  if (refusal !== undefined) return errorAnswer(refusal);
  sandbox.graph.accounts.phoneOverride.set(account.phone_number_id, override);
  return answer({ success: true });
}
