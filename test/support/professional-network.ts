/** The professional network's side of a test: accounts of the sandbox's gateway, and what contacts write through them. */
import assert from 'node:assert/strict';
import { findByExternalId } from './gateway.ts';
import type { Company, Json, Platform } from './platform.ts';

/** An account of the gateway, and the inbox that has it. */
export interface NetworkAccount {
  id: string;
  inbox: string;
  company: string;
  key: string;
}

const created = async (platform: Platform, company: Company): Promise<string> => {
  const body = { channel: 'PROFESSIONAL_NETWORK', name: 'Vera' };
  return (await platform.call(201, 'POST', '/v1/inboxes', { key: company.key, body })).body._id;
};

export const askForLink = async (platform: Platform, inbox: string, key = platform.demo.key): Promise<string> =>
  (await platform.call(201, 'POST', `/v1/inboxes/${inbox}/connect-link`, { key })).body.url;

/** Plays the person who logs in behind a link. */
export const logIn = (platform: Platform, url: string, more: Json = {}): Promise<Json> =>
  platform.sandbox('POST', '/sandbox/network/log-in', { url, ...more });

/** Creates an inbox and logs in behind its link. */
export async function connectAccount(
  platform: Platform,
  { company = platform.demo, profile = {} }: { company?: Company; profile?: Json } = {},
): Promise<NetworkAccount> {
  const inbox = await created(platform, company);
  const { account, status } = await logIn(platform, await askForLink(platform, inbox, company.key), profile);
  assert.equal(status, 200);
  return { id: account, inbox, company: company._id, key: company.key };
}

export const setNetwork = (platform: Platform, settings: Json): Promise<Json> =>
  platform.sandbox('PUT', '/sandbox/network/settings', settings);

/** Stops the gateway from reporting sent messages by itself. */
export const silenceAccounts = (platform: Platform): Promise<Json> =>
  setNetwork(platform, { event_delays_ms: { message_received: null, message_delivered: null, message_read: null } });

/** Makes somebody write in a chat of the account, and returns the stored message; null when nothing was stored. */
export async function writeAs(platform: Platform, account: NetworkAccount, message: Json = {}): Promise<Json> {
  const given = { text: 'Oi', from: 'maria-silva', ...message, account: account.id };
  const sent = await platform.sandbox('POST', '/sandbox/network/inbound', given);
  assert.equal(sent.status, 200, `the platform answered the gateway with ${sent.status}`);
  return findByExternalId(platform, account, sent.id);
}

/** Posts an event about a message that the gateway has, and asserts that the platform took it. */
export async function reportAbout(platform: Platform, message: string, event: string, more: Json = {}): Promise<void> {
  const answer = await platform.sandbox('POST', '/sandbox/network/notify', { message, event, more });
  assert.equal(answer.status, 200, `the platform answered the gateway with ${answer.status}`);
}

/** Returns the calls that the gateway has taken, whose method and path match. */
export async function listNetworkCalls(platform: Platform, pattern: RegExp): Promise<Json[]> {
  const { calls } = await platform.sandbox('GET', '/sandbox/network/calls');
  return calls.filter(({ call }: Json) => pattern.test(call));
}

/** Fills the account's buckets again, as time does. */
export async function refillBuckets(platform: Platform, account: NetworkAccount): Promise<void> {
  await platform.database.sql('delete from send_paces where company_id = $1 and lane like $2', [
    account.company,
    `%${account.id}`,
  ]);
}
