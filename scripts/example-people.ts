/** The steps that record the examples of users, keys and log-ins. */
import { TOTP } from 'otpauth';
import { createLogInLink } from '../src/features/users/log-in-links.ts';
import { startAttempt } from '../test/support/oauth.ts';
import { PASSWORD, readMailToken, waitForMail } from '../test/support/people.ts';
import { makePng } from '../test/support/media-samples.ts';
import type { Json, Platform } from '../test/support/platform.ts';
import type { Take } from './example-steps.ts';

// The same in each recording.
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

/** Records how a user connects an app. */
export async function recordApp(take: Take, platform: Platform): Promise<void> {
  const { token: key } = await platform.createUser(platform.demo._id, 'OPERATOR');
  const { request } = await startAttempt(platform, { code_challenge: CHALLENGE });
  await take('POST /v1/connected-apps/preview', '', { key, body: { request } });
  const app = await take('POST /v1/connected-apps', '', { key, body: { request, access: 'READ' } });
  await take('GET /v1/connected-apps', '', { key });
  await take('DELETE /v1/connected-apps/{id}', app._id, { key });
}

// The example of RFC 8291, appendix A.
const EXAMPLE_KEYS = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};

/** Records what a user is notified of. */
export async function recordNotifications(take: Take, platform: Platform, conversation: string): Promise<void> {
  const { _id: owner, token: key } = await platform.createUser(platform.demo._id, 'OPERATOR');
  await platform.call(200, 'PATCH', `/v1/conversations/${conversation}`, { body: { owner } });
  await take('GET /v1/notification-settings', '', { key });
  const body = { UNASSIGNED_NEW: { console: true, browser: false, push: false, mail: false } };
  await take('PUT /v1/notification-settings', '', { key, body });
  const [notification] = (await take('GET /v1/notifications', '?unread=true', { key })).result;
  await take('GET /v1/notifications/counts', '', { key });
  await take('POST /v1/notifications/read', '', { key, body: { ids: [notification._id] } });
  await take('PUT /v1/notifications/active', '', { key });
  await take('GET /v1/push-subscriptions/key', '', { key });
  const headers = {
    'user-agent': 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36',
  };
  const endpoint = 'https://203.0.114.1/f9a1c2';
  const browser = await take('PUT /v1/push-subscriptions', '', {
    key,
    headers,
    body: { endpoint, keys: EXAMPLE_KEYS },
  });
  await take('GET /v1/push-subscriptions', '', { key });
  await take('DELETE /v1/push-subscriptions/{id}', browser._id, { key });
}

/** Records how a user turns two-factor log-in on and off, and how an administrator resets it. */
async function recordSecondFactor(take: Take, platform: Platform): Promise<void> {
  const { _id, token: key } = await platform.createUser(platform.demo._id, 'OPERATOR');
  const path = 'POST /v1/auth/second-factor';
  const setUp = async (): Promise<Json> => {
    const { secret } = await take(`${path}/begin`, '', { key });
    const makeCode = (): string => new TOTP({ secret }).generate();
    const codes = await take(path, '', { key, body: { password: PASSWORD, code: makeCode() } });
    return codes.recovery_codes;
  };
  await take('GET /v1/auth/second-factor', '', { key });
  const [first] = await setUp();
  const renewed = await take(`${path}/recovery-codes`, '', { key, body: { password: PASSWORD, code: first } });
  await take(`${path}/disable`, '', { key, body: { password: PASSWORD, code: renewed.recovery_codes[0] } });
  await setUp();
  await take('DELETE /v1/users/{id}/second-factor', _id);
}

export async function recordPeople(take: Take, platform: Platform): Promise<Json> {
  const invited = await take('POST /v1/users', '', {
    body: { name: 'Ana Lima', email: 'ana@example.com', role: 'ADMIN' },
  });
  const token = readMailToken(await waitForMail(platform, 'ana@example.com'));
  await take('POST /v1/auth/reset-password', '', { key: null, body: { token, new_password: PASSWORD } });
  const logIn = { key: null, body: { email: 'ana@example.com', password: PASSWORD } };
  const { access_token } = await take('POST /v1/auth/login', '', logIn);
  await take('PATCH /v1/auth/me', '', { key: access_token, body: { name: 'Ana Lima' } });
  const picture = {
    key: access_token,
    form: { file: { base64: makePng(96, 96).toString('base64') } },
    fileName: 'ana.png',
  };
  await take('PUT /v1/auth/me/avatar', '', picture);
  const session = { headers: { 'sec-fetch-site': 'same-origin' }, key: null };
  await take('POST /v1/auth/session', '', { ...session, body: { email: 'ana@example.com', password: PASSWORD } });
  const { kit } = platform.running;
  const owner = { company: platform.demo._id, email: 'ana@example.com', seconds: 600 };
  const link = await kit.database.systemTx('upkeep', (tx) => createLogInLink(tx, owner));
  await take('POST /v1/auth/session/link', '', { ...session, body: { token: link } });
  await take('DELETE /v1/auth/session', '', { ...session, sendsCookie: true });
  await take('POST /v1/auth/forgot-password', '', { key: null, body: { email: 'ana@example.com' } });
  // A job sends this mail in the background. The recording waits for it here, so that the mails always arrive in the same order.
  await waitForMail(platform, 'ana@example.com', 2);
  await take('PATCH /v1/users/{id}', invited._id, { body: { language: 'es' } });
  await recordSecondFactor(take, platform);
  await take('GET /v1/auth/me');
  const expires_at = '2030-01-31T12:00:00.000Z';
  const key = { name: 'Shop', type: 'company', scopes: ['contacts:*', 'messages:create'], expires_at };
  const made = await take('POST /v1/api-keys', '', { body: key });
  await take('DELETE /v1/api-keys/{id}', made._id);
  return invited;
}
