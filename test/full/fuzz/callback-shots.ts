/** Notifications that no network would send, with the network's signature: mutations of real ones, and hostile bytes. */
import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Chance } from '../harness/chance.ts';
import { HOSTILE_BODIES } from './bodies.ts';
import { generateAnything, findPlaces, replaceAt } from './generate.ts';
import type { RequestContext } from './operation-shots.ts';
import { PHONE } from './scene.ts';
import type { FuzzRequest } from './shot.ts';
import { NAUGHTY } from './strings.ts';

const FIXTURES = new URL('../../../src/channels/wap-auto-closer/fixtures/', import.meta.url);
const CALLBACKS = readdirSync(FIXTURES).map(
  (file) => (JSON.parse(readFileSync(new URL(file, FIXTURES), 'utf8')) as { callback: unknown }).callback,
);
const CHALLENGES = NAUGHTY.filter((text) => text.length < 500).map((text) => encodeURIComponent(text.toWellFormed()));
const MOST_MUTATIONS = 4;
const LIMIT = 4 * 1024 * 1024;

export function buildCallbackRequest(gun: RequestContext): FuzzRequest {
  const { chance } = gun;
  const kind = chance.int(100);
  if (kind < 70) return buildSignedCallback(gun, mutateCallback(chance));
  if (kind < 80) return buildSignedCallback(gun, buildHostileMessage(gun));
  if (kind < 92) return buildSignedCallback(gun, chance.pick(HOSTILE_BODIES).raw);
  return kind < 98 ? buildForgedCallback(gun) : buildHandshake(gun);
}

/** Builds a callback with a valid signature. It comes from the network, so it is answered 200 whatever it contains. */
function buildSignedCallback({ scene, chance }: RequestContext, body: Buffer): FuzzRequest {
  const shot = buildPost(body, { 'x-hub-signature-256': signBody(scene.appSecret, body) });
  const type = chance.pick([
    'application/json',
    'application/json; charset=utf-8',
    'text/plain',
    'application/x-unknown',
  ]);
  return { ...shot, headers: { ...shot.headers, 'content-type': type }, statuses: [200] };
}

const signBody = (secret: string, body: Buffer): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

function buildPost(body: Buffer, headers: Record<string, string>): FuzzRequest {
  return {
    idea: 'callback',
    method: 'POST',
    path: '/hooks/wap',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    operation: null,
  };
}

function buildForgedCallback({ scene, chance }: RequestContext): FuzzRequest {
  const body = chance.pick(HOSTILE_BODIES).raw;
  const right = signBody(scene.appSecret, body);
  const others = [signBody('another', body), signBody(scene.appSecret, Buffer.concat([body, Buffer.from(' ')]))];
  const bent = [right.slice(0, -1), `${right}0`, right.replace('sha256', 'sha1'), right.slice(7), `${right}, ${right}`];
  const wrong = [...others, ...bent, '', 'sha256=', 'sha256', 'sha256=zz'];
  return {
    ...buildPost(body, { 'x-hub-signature-256': chance.pick(wrong) }),
    idea: 'forged callback',
    statuses: [401],
    codes: ['BAD_SIGNATURE'],
  };
}

function buildHandshake({ chance }: RequestContext): FuzzRequest {
  const query = `hub.mode=subscribe&hub.verify_token=${chance.pick(['verify', ...CHALLENGES])}&hub.challenge=${chance.pick(CHALLENGES)}`;
  return {
    idea: 'handshake',
    method: 'GET',
    path: `/hooks/wap?${query}`,
    headers: {},
    body: null,
    operation: null,
    statuses: [200, 400, 403],
  };
}

/** Returns a callback with some changed values. Half of these have the scene's phone number, so that they are stored. */
function mutateCallback(chance: Chance): Buffer {
  const pristine = chance.pick(CALLBACKS);
  const parts = findPlaces(pristine).map(({ keys }) => getValueAt(pristine, keys));
  let callback = pristine;
  for (let left = chance.int(MOST_MUTATIONS + 1); left > 0; left -= 1) {
    const { keys } = chance.pick([{ keys: [] as (string | number)[] }, ...findPlaces(callback)]);
    const kind = chance.int(10);
    callback = replaceAt(
      callback,
      keys,
      kind < 2 ? undefined : kind < 6 ? generateAnything(chance) : chance.pick(parts),
    );
    if (callback === undefined) callback = null;
  }
  const text = JSON.stringify(chance.int(4) > 0 ? withSceneIds(callback, chance) : callback);
  return Buffer.from(text.length < LIMIT ? text : text.slice(0, LIMIT));
}

const getValueAt = (value: unknown, keys: (string | number)[]): unknown =>
  keys.reduce((inner, key) => (inner as Record<string | number, unknown>)[key], value);

/** Puts the scene's phone number and new message ids into a callback. With the same ids, all but the first would be repetitions. */
function withSceneIds(callback: unknown, chance: Chance): unknown {
  return findPlaces(callback).reduce((changed, { keys }) => {
    const key = keys.at(-1);
    const value = getValueAt(callback, keys);
    if (key === 'phone_number_id' && typeof value === 'string') return replaceAt(changed, keys, PHONE);
    const isNew = key === 'id' && typeof value === 'string' && value.startsWith('wamid') && chance.int(4) > 0;
    return isNew ? replaceAt(changed, keys, `${value.slice(0, 400)}.${chance.int(2 ** 31)}`) : changed;
  }, callback);
}

/** Returns a callback with a valid message whose text is hostile. */
function buildHostileMessage({ chance, turn }: RequestContext): Buffer {
  const text = NAUGHTY[turn % NAUGHTY.length];
  const from = `55119${chance.pick(['00000001', '00000002', '00000003'])}`;
  const message = {
    from,
    id: `wamid.n.${chance.int(2 ** 31)}`,
    timestamp: String(Math.floor(Date.now() / 1_000)),
    type: 'text',
    text: { body: text },
  };
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '551140000000', phone_number_id: PHONE },
    contacts: [{ profile: { name: text }, wa_id: from }],
    messages: [message],
  };
  return Buffer.from(
    JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: '2', changes: [{ field: 'messages', value }] }],
    }),
  );
}
