/**
 * Calls every route of the door for clients of Evolution API with ids of the other company: as the instance, and at each place of the body
 * that can have an id. The answer must be that to an unknown id. A key with no scope but that of inboxes must not get further.
 */
import { ROUTES } from '../../../src/doors/evolution/all-routes.ts';
import { newId } from '../../../src/platform/values/ids.ts';
import type { Json, Platform } from '../../support/platform.ts';
import type { CompanyPair, Findings } from './asking.ts';
import { createFullCompany, digestTables, listChangedTables, type FullCompany } from './companies.ts';
import type { Operation } from './document.ts';

/** The routes that tell or change nothing but the inbox of the instance. */
const NEED_INBOXES_ONLY = [
  'GET instance/fetchInstances',
  'GET instance/connectionState',
  // An instance that is connected.
  'GET instance/connect',
  'GET settings/find',
  'GET webhook/find',
  'POST instance/setPresence',
  'POST chat/whatsappNumbers',
];

const CLOSING = 'DELETE instance/delete';

export async function checkEvolution(
  { platform, other }: CompanyPair,
  _: Operation[],
  account: Findings,
): Promise<void> {
  // Routes change records that the other promises need as they are.
  const own = await createFullCompany(platform);
  const before = await digestTables(platform, [other._id]);
  const { token: poor } = await platform.createKey(own._id, ['inboxes:read']);
  const instance = await findInstance(platform, own);
  for (const [key, route] of ROUTES) {
    const ask = async (name: string, id: string, token: string): Promise<string> => {
      account.asked += 1;
      const answer = await callRoute(platform, { key, name: route.isPlain ? null : name, id, token });
      return answer.replaceAll(name, '*').replaceAll(id, '*');
    };
    if (!route.isPlain) {
      const foreign = await ask(String(other.records['inbox']), newId(), own.key);
      if (foreign !== (await ask(newId(), newId(), own.key)))
        account.faults.push(`${key}: the instance of another company answers ${foreign}`);
    }
    // Closing the instance would end the look at the routes after it.
    for (const kind of key === CLOSING ? [] : ['contact', 'message']) {
      const [foreign, unknown] = [
        await ask(instance, String(other.records[kind]), own.key),
        await ask(instance, newId(), own.key),
      ];
      if (foreign !== unknown)
        account.faults.push(`${key}: the ${kind} of another company answers ${foreign}, an unknown one ${unknown}`);
    }
    const refused = await ask(instance, newId(), poor);
    if (!NEED_INBOXES_ONLY.includes(key) && !refused.startsWith('4'))
      account.faults.push(`${key}: a key that may only read inboxes is answered ${refused}`);
  }
  const changed = listChangedTables(before, await digestTables(platform, [other._id]));
  if (changed.length > 0) account.faults.push(`the door changed ${changed.join()} of another company`);
}

/** Closed instances are none, and those of other networks neither. */
async function findInstance({ call }: Platform, { key }: FullCompany): Promise<string> {
  const { body } = await call(200, 'GET', '/v1/inboxes?status=ACTIVE&limit=100', { key });
  const found = body.result.find(({ channel }: Json) => ['WAP_AUTO_CLOSER', 'PARTNER_API'].includes(channel));
  return found?._id ?? newId();
}

interface RouteCall {
  key: string;
  name: string | null;
  id: string;
  token: string;
}

/** Puts the id at every place where clients put one. */
async function callRoute({ url }: Platform, { key, name, id, token }: RouteCall): Promise<string> {
  const [method = '', path] = key.split(' ');
  const message = { id, key: { id, remoteJid: `${id}@lid` } };
  const body = {
    number: `${id}@lid`,
    text: 'x',
    where: { ...message, keyId: id, remoteJid: `${id}@lid` },
    readMessages: [message.key],
    quoted: message,
    message,
    key: message.key,
    reaction: 'x',
    status: 'block',
    presence: 'composing',
    numbers: ['x'],
    instanceName: 'x',
  };
  const end = name === null ? '' : `/${name}`;
  const response = await fetch(`${url}/evolution/${path}${end}?remoteJid=${id}@lid&instanceId=${id}`, {
    method,
    headers: { apikey: token, ...(method !== 'GET' && { 'content-type': 'application/json' }) },
    ...(method !== 'GET' && { body: JSON.stringify(body) }),
  });
  return `${response.status} ${await response.text()}`;
}
