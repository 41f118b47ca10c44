import { answer, toObject, toText, type Answer, type Json } from '../exchange.ts';
import { publishAccounts } from '../phone/phone.ts';
import type { Sandbox } from '../state.ts';
import { postOnce } from '../post.ts';
import { describeMessage, postEvent } from './events.ts';
import { writeInbound } from './inbound.ts';
import { addProfile, makeId, makeProviderId, type Account, type NetworkSettings } from './state.ts';

type Call = { sandbox: Sandbox; query: URLSearchParams; body: unknown };

const problem = (error: string): Answer => answer({ error }, 400);

/** The operations of the control API that concern the professional network. */
export const NETWORK_OPERATIONS: Record<string, (call: Call) => Answer | Promise<Answer>> = {
  'GET network/accounts': ({ sandbox }) => answer({ accounts: [...sandbox.network.accounts.values()] }),
  'POST network/accounts': ({ sandbox, body }) => answer(addAccount(sandbox, toObject(body)), 201),
  'PATCH network/accounts': changeAccount,
  'POST network/profiles': ({ sandbox, body }) => answer(addProfile(sandbox.network, toObject(body)), 201),
  'GET network/webhooks': ({ sandbox }) => answer({ webhooks: [...sandbox.network.webhooks.values()] }),
  'GET network/calls': ({ sandbox }) => answer({ calls: sandbox.network.calls }),
  'GET network/settings': ({ sandbox }) => answer(sandbox.network.settings),
  'PUT network/settings': putSettings,
  'POST network/log-in': logIn,
  'POST network/inbound': async ({ sandbox, body }) => {
    const written = await writeInbound(sandbox, toObject(body));
    return typeof written === 'string' ? problem(written) : answer(written);
  },
  'POST network/notify': notify,
};

function addAccount(sandbox: Sandbox, given: Json): Account {
  const { network } = sandbox;
  const account: Account = {
    id: toText(given['id']) ?? makeId(network, 'acc'),
    provider_id: toText(given['provider_id']) ?? makeProviderId(network),
    public_identifier: toText(given['public_identifier']) ?? 'vera-lima',
    name: toText(given['name']) ?? 'Vera Lima',
    status: toText(given['status']) ?? 'OK',
    created_at: toText(given['created_at']) ?? new Date().toISOString(),
  };
  network.accounts.set(account.id, account);
  publishAccounts(sandbox, 'linkedin');
  return account;
}

/** Changes the state of an account, as when its password is changed at the network, and reports it. */
async function changeAccount({ sandbox, body }: Call): Promise<Answer> {
  const given = toObject(body);
  const account = sandbox.network.accounts.get(toText(given['id']) ?? '');
  if (!account) return problem('There is no such account.');
  account.status = toText(given['status']) ?? account.status;
  publishAccounts(sandbox, 'linkedin');
  const told = { account_id: account.id, account_type: 'LINKEDIN', message: account.status };
  return answer({ ...account, posted: await postEvent(sandbox, 'account_status', { AccountStatus: told }) });
}

function putSettings({ sandbox, body }: Call): Answer {
  const { network } = sandbox;
  const given = toObject(body);
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(network.settings, key));
  if (unknown !== undefined) return problem(`There is no setting ${unknown}.`);
  const delays = { ...network.settings.event_delays_ms, ...toObject(given['event_delays_ms']) };
  network.settings = { ...network.settings, ...given, event_delays_ms: delays } as NetworkSettings;
  return answer(network.settings);
}

/** Plays the person who opens a link and logs in. `account` tells of another account than the one that this makes. */
async function logIn({ sandbox, body }: Call): Promise<Answer> {
  const given = toObject(body);
  const link = sandbox.network.logIns.get((toText(given['url']) ?? '').split('/').at(-1) ?? '');
  if (!link) return problem('There is no such link.');
  const account = link.account ?? toText(given['account']) ?? addAccount(sandbox, given).id;
  const own = sandbox.network.accounts.get(account);
  if (own && link.account !== null) own.status = 'OK';
  publishAccounts(sandbox, 'linkedin');
  const status = link.type === 'reconnect' ? 'RECONNECTED' : 'CREATION_SUCCESS';
  const notice = { status, account_id: account, name: toText(given['token']) ?? link.name };
  return answer({
    account,
    status: await postOnce({ url: link.notify_url, headers: {}, body: JSON.stringify(notice) }),
  });
}

/** Posts an event about a stored message, with `more` in it, or any `body`. */
async function notify({ sandbox, body }: Call): Promise<Answer> {
  const { network } = sandbox;
  const given = toObject(body);
  const message = network.messages.get(toText(given['message']) ?? '');
  const account = message && network.accounts.get(message.chat.account_id);
  const described = message && account && describeMessage(toText(given['event']) ?? '', account, message);
  if (!described && given['body'] === undefined) return problem('There is no such message.');
  const event = { ...described, ...toObject(given['more']), ...toObject(given['body']) };
  return answer({ status: await postEvent(sandbox, toText(given['source']) ?? 'messaging', event) });
}
