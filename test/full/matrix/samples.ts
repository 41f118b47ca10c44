/**
 * What the document does not say about an operation: property values with which it succeeds, and the data that has to exist before. The
 * schemas provide the rest of a body, so most operations need no sample.
 */
import { randomBytes } from 'node:crypto';
import { hashToken } from '../../../src/platform/http/auth.ts';
import { newId } from '../../../src/platform/values/ids.ts';
import type { FileType } from '../../../src/platform/work/media/formats.ts';
import { ROLE_SCOPES } from '../../../src/platform/values/scopes.ts';
import { uploadFile } from '../../support/attachments.ts';
import { makeMp3, makeMp4, makePng, makeWebp } from '../../support/media-samples.ts';
import { makePhoneNumber } from '../../support/network.ts';
import { REDIRECT_URI, startAttempt } from '../../support/oauth.ts';
import { makeBrowser } from '../../support/push.ts';
import { FROM_PAGE, freshEmail, PASSWORD } from '../../support/people.ts';
import type { Json, Platform } from '../../support/platform.ts';
import { createWebhook, findId, insertConnectedApp, insertPushSubscription, type FullCompany } from './companies.ts';
import { buildForm } from './forms.ts';
import {
  addPasskey,
  addPasskeyOfUser,
  beginAtProvider,
  beginPasskey,
  givesApp,
  linkCaller,
  linkUser,
  makeCode,
  returnFromProvider,
  setProvider,
  withoutFactors,
} from './log-ins.ts';

const readAnswer = (fresh: FullCompany['fresh']): Json => JSON.parse(fresh['answer'] ?? '{}');
const showTicket = ({ fresh }: FullCompany): Record<string, string> => ({
  ...FROM_PAGE,
  cookie: fresh['cookie'] ?? '',
});
const provesApp: Sample = {
  onlyUsers: true,
  body: () => ({ password: PASSWORD, code: makeCode() }),
  prepare: givesApp('totp_secret'),
};

interface Sample {
  /** Keys are refused, whatever their scopes. */
  onlyUsers?: true;
  /** The records are the calling user's own: without the company's protection, the user still separates them from those of others. */
  isOfCaller?: true;
  /** Scopes that a key needs beyond those of the document, because a caller can give or change only rights that it has itself. */
  also?: readonly string[];
  /** The answer to a global key without a company, where it differs from that of other operations; globals.ts checks those with `apart`. */
  homeless?: 'apart' | 'NOT_FOUND';
  /** The ids of the path, where the company's record of that kind is not the right one. */
  params?(own: FullCompany): Record<string, string>;
  /** Values of properties of the body, or of parts of the form, with the text of the file. */
  body?(own: FullCompany): Json;
  /** Values of the body that it has instead for a text below a path, whose part has no place in the usual body. */
  at?(own: FullCompany): Record<string, Json>;
  /** Values of the body that make it another valid request, where no text of it can be any other text. */
  other?: Json;
  headers?(own: FullCompany): Record<string, string>;
  /** Properties of the body that have no place beside another one: `{ conversationId: ['inboxId'] }`. */
  excludes?: Record<string, string[]>;
  /** Prepares the data so that the next request succeeds, whatever the last one did. */
  prepare?(platform: Platform, own: FullCompany): Promise<void>;
}

async function prepareWebhook(platform: Platform, own: FullCompany): Promise<void> {
  const [row] = await platform.database.sql<{ _id: string }>('select _id from webhooks where company_id = $1', [
    own._id,
  ]);
  own.records.webhook = row?._id ?? (await createWebhook(platform, own, own.marker));
}

/** Adds a second webhook of a door, which the next request may remove. Without walls an operation would take that of another company. */
async function addDoorWebhook({ database }: Platform, own: FullCompany): Promise<void> {
  const id = newId();
  await database.sql('delete from door_webhooks where company_id = $1 and inbox_id is null', [own._id]);
  await database.sql(
    `insert into door_webhooks (company_id, _id, door, url, events, custom_headers, options)
      select company_id, $2, door, url, events, custom_headers, options from door_webhooks where company_id = $1 limit 1`,
    [own._id, id],
  );
  own.fresh = { 'door-webhook': id };
}

/** Registers an app that asks to be connected, and leaves the company only the app that it began with. */
async function registerApp(platform: Platform, own: FullCompany): Promise<void> {
  const clientId = newId();
  await platform.database.sql('insert into oauth_clients (_id, name, redirect_uris) values ($1, $2, $3)', [
    clientId,
    own.marker,
    [REDIRECT_URI],
  ]);
  const values = [own._id, findId(own, 'connected-app')];
  await platform.database.sql('delete from connected_apps where company_id = $1 and _id <> $2', values);
  own.fresh = { request: (await startAttempt(platform, { clientId })).request };
}

/** Notifies every user of the company. */
async function notifyUsers({ database }: Platform, own: FullCompany): Promise<void> {
  await database.sql(
    `insert into notifications (company_id, _id, user_id, kind, conversation_id)
      select company_id, new_id(), _id, 'MENTIONED', $2 from users where company_id = $1
      on conflict (company_id, user_id, kind, conversation_id) where read_at is null do nothing`,
    [own._id, findId(own, 'conversation')],
  );
}

/** Registers a browser of the user who calls: of the owners who may log in, the newest. */
async function addBrowser(platform: Platform, own: FullCompany): Promise<void> {
  const [owner] = await platform.database.sql<{ _id: string }>(
    `select _id from users where company_id = $1 and role = 'OWNER' and status = 'ACTIVE' order by created_at desc, _id desc limit 1`,
    [own._id],
  );
  const user = owner?._id ?? findId(own, 'user');
  own.fresh = { 'push-subscription': await insertPushSubscription(platform, { user, marker: own.marker }) };
}

/** Lets the company's agent write for its users. */
async function enableAssist({ database }: Platform, own: FullCompany): Promise<void> {
  await database.sql(
    `insert into assist_settings (company_id, agent_id, acts) values ($1, $2, '{DRAFT,REWRITE,SUMMARIZE,TRANSLATE}')
      on conflict (company_id) do update set agent_id = excluded.agent_id, acts = excluded.acts`,
    [own._id, findId(own, 'agent')],
  );
}

/** Leaves the company only the server that it began with. */
async function removeMcpServers({ database }: Platform, own: FullCompany): Promise<void> {
  const values = [own._id, own.records['mcp-server']];
  await database.sql('delete from mcp_servers where company_id = $1 and _id <> $2', values);
}

async function deleteWebhook({ database }: Platform, own: FullCompany): Promise<void> {
  await database.sql('delete from event_listeners where company_id = $1', [own._id]);
  await database.sql('delete from webhooks where company_id = $1', [own._id]);
}

/** Creates a user without an invitation, because invitations are limited. */
async function addUser(platform: Platform, own: FullCompany): Promise<void> {
  own.fresh = { user: (await platform.createUser(own._id, 'VIEWER'))._id };
}

/** Submits a template, which the next request may remove. */
async function addTemplate({ call }: Platform, own: FullCompany): Promise<void> {
  const body = makeTemplate(`till_${newId()}`);
  const path = `/v1/inboxes/${findId(own, 'inbox')}/templates`;
  own.fresh = { template: (await call(201, 'POST', path, { key: own.key, body })).body.name };
}

/** Creates an inbox whose account comes from a log-in. */
async function addProfile({ call }: Platform, own: FullCompany): Promise<void> {
  const body = { channel: 'PROFESSIONAL_NETWORK', name: own.marker };
  own.fresh = { inbox: (await call(201, 'POST', '/v1/inboxes', { key: own.key, body })).body._id };
}

/** Sends a message into a web chat, which can delete it. */
async function addRevocable({ call }: Platform, own: FullCompany): Promise<void> {
  const post = async (path: string, body: Json): Promise<Json> =>
    (await call(201, 'POST', path, { key: own.key, body })).body;
  const inbox = await post('/v1/inboxes', { channel: 'WEB_V2', name: own.marker });
  const contact = await post('/v1/contacts', { name: 'Ana', external_id: `till_${newId()}` });
  const conversation = await post('/v1/conversations', { inbox: inbox._id, contact: contact._id });
  const message = { content: 'Hello' };
  const sent = await post('/v1/messages/send-text', { conversationId: conversation._id, message });
  own.fresh = { message: sent['_id'] };
}

/** Creates a contact without a conversation. */
async function addContact({ call }: Platform, own: FullCompany): Promise<void> {
  own.fresh = { contact: (await call(201, 'POST', '/v1/contacts', { key: own.key, body: { name: 'Ana' } })).body._id };
}

/** Adds two closed conversations of a contact. An open one would notify users, and browsers get that later, during the next request. */
async function addPair(platform: Platform, own: FullCompany): Promise<void> {
  await addContact(platform, own);
  const [into, conversation] = [newId(), newId()];
  await platform.database.sql(
    `insert into conversations (company_id, _id, contact_id, inbox_id, channel, status, handled_by)
      select company_id, each, $3, _id, channel, 'CLOSED', 'NONE' from inboxes, unnest($4::text[]) each where company_id = $1 and _id = $2`,
    [own._id, findId(own, 'inbox'), own.fresh['contact'], [into, conversation]],
  );
  own.fresh = { into, conversation };
}

/** Uploads a file that no message names. */
async function addAttachment({ call }: Platform, own: FullCompany): Promise<void> {
  const form = buildForm({ file: own.marker });
  const { body } = await call(201, 'POST', '/v1/resource/upload-attachment', { key: own.key, ...form });
  own.fresh = { attachment: body._id };
}

/** A body that sends a file of this kind. */
/** A message to the company's contact in its inbox, or else into its conversation. */
const sends = (makeMessage: (own: FullCompany) => Json): Pick<Sample, 'body' | 'excludes'> => ({
  body: (own) => ({ conversationId: undefined, message: makeMessage(own) }),
  excludes: { conversationId: ['inboxId', 'contact'] },
});

const uploads =
  (data: Buffer, fileType: FileType) =>
  async (platform: Platform, own: FullCompany): Promise<void> => {
    own.fresh = { attachment: (await uploadFile(platform, { data, fileType }, own.key))._id };
  };

const sendsFile = (data: Buffer, fileType: FileType): Sample => ({
  ...sends(({ fresh: { attachment } }) => ({ attachment })),
  prepare: uploads(data, fileType),
});

/** Creates a pipeline with a step that may be removed. */
async function addPipeline({ call }: Platform, own: FullCompany): Promise<void> {
  const body = { name: 'Sales', steps: [{ name: 'New' }, { name: 'Old' }] };
  const { _id, steps } = (await call(201, 'POST', '/v1/pipelines', { key: own.key, body })).body;
  own.fresh = { pipeline: _id, step: steps[0]._id, spareStep: steps[1]._id };
}

/** Ends the company's waiting imports, because only a few may wait at a time. The statement waits for imports that a worker is reading. */
async function endImports({ database }: Platform, own: FullCompany): Promise<void> {
  await database.sql(
    `update runs set status = 'FAILED', started_at = now(), finished_at = now(), is_waiting = false
      where company_id = $1 and kind = 'IMPORT' and finished_at is null`,
    [own._id],
  );
}

/** Ends the company's waiting bulk changes, because only a few may wait at a time. */
async function endRuns({ database }: Platform, own: FullCompany): Promise<void> {
  await database.sql(
    `update runs set status = 'CANCELLED', finished_at = now(), is_waiting = false
      where company_id = $1 and kind in ('CONVERSATIONS', 'CONTACT_CHANGES') and finished_at is null`,
    [own._id],
  );
}

/** Creates a link that can be used, as if it had been mailed. */
async function addLink({ database }: Platform, own: FullCompany, user = findId(own, 'user')): Promise<void> {
  own.linkToken = `${own.marker}-link-${newId()}`;
  own.linkUser = user;
  await database.sql(
    `insert into password_tokens (token_hash, company_id, user_id, expires_at) values ($1, $2, $3, now() + interval '1 hour')`,
    [hashToken(own.linkToken), own._id, user],
  );
}

/** Creates an app that is connected, whatever happened to the sessions of its user. */
async function addConnectedApp(platform: Platform, own: FullCompany): Promise<void> {
  const id = await insertConnectedApp(platform, own._id, { user: findId(own, 'user'), marker: own.marker });
  own.fresh = { 'connected-app': id };
}

/** Creates a link that logs a browser in, as if a start had printed it. */
async function addLogInLink(platform: Platform, own: FullCompany): Promise<void> {
  await withoutFactors(platform, own);
  await addLink(platform, own);
  await platform.database.sql(`update password_tokens set purpose = 'LOG_IN' where token_hash = $1`, [
    hashToken(own.linkToken),
  ]);
}

/** Creates a session as a log-in of a browser does. */
async function addSession({ database }: Platform, own: FullCompany): Promise<void> {
  own.sessionToken = randomBytes(32).toString('base64url');
  await database.sql(
    `insert into browser_sessions (token_hash, company_id, user_id, session_version, expires_at)
      select $1, company_id, _id, session_version, now() + interval '1 hour' from users where company_id = $2 and _id = $3`,
    [hashToken(own.sessionToken), own._id, findId(own, 'user')],
  );
}

/** Creates an invitation for a person who has a password already. */
async function addInvitation(platform: Platform, own: FullCompany): Promise<void> {
  const { _id } = await platform.createUser(own._id, 'VIEWER');
  await platform.database.sql(`update users set status = 'INVITED', accepted_at = null where _id = $1`, [_id]);
  await addLink(platform, own, _id);
}

const makeTemplate = (name: string): Json => ({
  name,
  language: 'pt_BR',
  category: 'UTILITY',
  components: [{ type: 'BODY', text: 'Bom dia!' }],
});

/** Puts the campaign into a state from which the operation changes it. Its time is far away, so no worker takes it. */
const putCampaign =
  (status: string) =>
  async ({ database }: Platform, own: FullCompany): Promise<void> => {
    await database.sql(
      `update campaigns set status = $2, started_at = null, is_waiting = false, held_until = null, claimed_at = null where company_id = $1 and _id = $3`,
      [own._id, status, findId(own, 'campaign')],
    );
  };

/** Lets the company's enrollment wait for a time that never comes. */
async function waitForever({ database }: Platform, own: FullCompany): Promise<void> {
  await database.sql(
    `update campaign_enrollments set status = 'PENDING', completed_at = null, next_run_at = '2099-01-01' where company_id = $1`,
    [own._id],
  );
}

const FOLLOW_UP = { delay_minutes: 60, content: 'Hello?', template: { name: 'hello_world', language: 'pt_BR' } };

/** Schedules the company's follow-up again. */
async function scheduleAgain({ database }: Platform, own: FullCompany): Promise<void> {
  await database.sql(
    `update follow_ups set status = 'SCHEDULED', cancel_reason = null, held_until = '2099-01-01' where company_id = $1`,
    [own._id],
  );
}

/** Schedules the company's message again. */
async function scheduleMessageAgain({ database }: Platform, own: FullCompany): Promise<void> {
  await database.sql(
    `update scheduled_messages set status = 'SCHEDULED', cancel_reason = null, message_id = null, settle_until = null, send_at = '2099-01-01',
        held_until = '2099-01-01' where company_id = $1`,
    [own._id],
  );
}

/** Conditions on a custom field of the company. */
const onField = ({ slugs }: FullCompany): Json[] => [
  {
    match: 'ALL',
    conditions: [{ field: 'custom_field', custom_field: slugs['conversation-field'], operator: 'IS_SET' }],
  },
];

/** A rule that never runs. */
const makeRule = (own: FullCompany): Json => ({
  name: 'Till',
  event: 'TAG_ADDED',
  after_minutes: null,
  is_active: false,
  conditions: onField(own),
  actions: { add_tags: ['till'] },
});

/** A message that is due in almost a year. */
const schedules = (own: FullCompany): Json => ({
  message: { contentType: 'DOCUMENT', content: null, attachment: findId(own, 'attachment'), template: null },
  send_at: new Date(Date.now() + 360 * 86_400_000).toISOString(),
  reply_to: null,
});

const schedulesTemplate = ({ marker }: FullCompany): Record<string, Json> => ({
  'message.template': { message: { contentType: 'TEMPLATE', template: { name: marker, language: 'pt_BR' } } },
});

/** The place of a template among actions. */
const sendsTemplate = ({ marker }: FullCompany): Record<string, Json> => ({
  'actions.template': { actions: { template: { name: marker, language: 'pt_BR' } } },
});

export const SAMPLES: Record<string, Sample> = {
  'POST /v1/users': {
    also: ROLE_SCOPES.VIEWER,
    body: () => ({ name: 'Ana', email: freshEmail('matrix'), role: 'VIEWER' }),
  },
  'PATCH /v1/users/{id}': { also: ROLE_SCOPES.VIEWER, body: () => ({ language: 'es' }) },
  'DELETE /v1/users/{id}/second-factor': {
    also: ROLE_SCOPES.VIEWER,
    // The statement that finds the user is of the system role, so it keeps its condition when those for a company lose theirs.
    isOfCaller: true,
    prepare: async (platform, own) => {
      await addUser(platform, own);
      await givesApp('totp_secret')(platform, own);
    },
  },
  'GET /v1/auth/second-factor': { onlyUsers: true },
  'POST /v1/auth/second-factor/begin': { onlyUsers: true, isOfCaller: true, prepare: withoutFactors },
  'POST /v1/auth/second-factor': {
    onlyUsers: true,
    body: () => ({ password: PASSWORD, code: makeCode() }),
    prepare: givesApp('totp_pending'),
  },
  'POST /v1/auth/second-factor/recovery-codes': provesApp,
  'POST /v1/auth/second-factor/disable': provesApp,
  'DELETE /v1/users/{id}': { also: ROLE_SCOPES.VIEWER, prepare: addUser },
  'GET /v1/api-keys': { homeless: 'apart' },
  'POST /v1/api-keys': { body: () => ({ name: 'Till', type: 'company', scopes: ['api-keys:create'] }) },
  'DELETE /v1/api-keys/{id}': { homeless: 'NOT_FOUND' },
  'POST /v1/connected-apps/preview': {
    onlyUsers: true,
    body: ({ fresh: { request } }) => ({ request }),
    prepare: registerApp,
  },
  'POST /v1/connected-apps': {
    onlyUsers: true,
    body: ({ fresh: { request } }) => ({ request, access: 'READ' }),
    prepare: registerApp,
  },
  'GET /v1/connected-apps': { prepare: addConnectedApp },
  'DELETE /v1/connected-apps/{id}': { prepare: addConnectedApp },
  'GET /v1/auth/passkeys': { onlyUsers: true, isOfCaller: true, prepare: addPasskey },
  'POST /v1/auth/passkeys/begin': {
    onlyUsers: true,
    isOfCaller: true,
    body: () => ({ password: PASSWORD, code: undefined, passkey: undefined }),
    headers: () => FROM_PAGE,
    prepare: beginPasskey,
  },
  'POST /v1/auth/passkeys': {
    onlyUsers: true,
    isOfCaller: true,
    body: ({ fresh }) => ({ name: 'Laptop', credential: readAnswer(fresh) }),
    headers: showTicket,
    prepare: beginPasskey,
  },
  'PATCH /v1/auth/passkeys/{id}': { onlyUsers: true, isOfCaller: true, prepare: addPasskey },
  'POST /v1/auth/passkeys/{id}/remove': {
    onlyUsers: true,
    isOfCaller: true,
    body: ({ fresh }) => ({ password: PASSWORD, code: undefined, passkey: readAnswer(fresh) }),
    headers: showTicket,
    prepare: addPasskey,
  },
  'POST /v1/auth/passkey': { headers: () => FROM_PAGE },
  'POST /v1/auth/session/passkey': {
    body: ({ fresh }) => ({ passkey: readAnswer(fresh), company: undefined }),
    headers: showTicket,
    prepare: addPasskeyOfUser,
  },
  'PUT /v1/single-sign-on': {
    also: ROLE_SCOPES.OWNER,
    body: () => ({
      issuer: 'https://203.0.114.1',
      client_secret: null,
      domains: [],
      role: 'VIEWER',
      enabled: false,
      password_login: true,
    }),
  },
  'DELETE /v1/auth/single-sign-on': { onlyUsers: true, isOfCaller: true, prepare: linkCaller },
  'DELETE /v1/users/{id}/single-sign-on': {
    also: ROLE_SCOPES.VIEWER,
    // The statement that finds the user is of the system role, so it keeps its condition when those for a company lose theirs.
    isOfCaller: true,
    params: ({ fresh }) => ({ id: fresh['user'] ?? '' }),
    prepare: async (platform, own) => {
      await addUser(platform, own);
      await linkUser(platform, own.fresh['user'] ?? '');
    },
  },
  'DELETE /v1/single-sign-on': { also: ROLE_SCOPES.OWNER },
  'POST /v1/single-sign-on/test': { prepare: setProvider },
  'POST /v1/auth/single-sign-on': {
    body: ({ _id }) => ({ company: _id, email: undefined }),
    headers: () => FROM_PAGE,
    prepare: async (platform, own) => void (await beginAtProvider(platform, own)),
  },
  'POST /v1/auth/session/single-sign-on': {
    body: ({ fresh: { query } }) => ({ query, code: undefined, passkey: undefined }),
    headers: showTicket,
    prepare: returnFromProvider,
  },
  'POST /v1/auth/session': {
    body: ({ marker }) => ({
      email: `${marker}@example.test`,
      password: PASSWORD,
      code: undefined,
      passkey: undefined,
    }),
    headers: () => FROM_PAGE,
    prepare: withoutFactors,
  },
  'POST /v1/auth/session/link': {
    body: ({ linkToken }) => ({ token: linkToken }),
    headers: () => FROM_PAGE,
    prepare: addLogInLink,
  },
  'DELETE /v1/auth/session': {
    headers: ({ sessionToken }) => ({ ...FROM_PAGE, cookie: `parley_session=${sessionToken}` }),
    prepare: addSession,
  },
  'GET /v1/notifications': { onlyUsers: true, isOfCaller: true, prepare: notifyUsers },
  'GET /v1/notifications/counts': { onlyUsers: true },
  'POST /v1/notifications/read': {
    onlyUsers: true,
    isOfCaller: true,
    body: () => ({ until: '2000-01-01T00:00:00.000Z' }),
    excludes: { ids: ['until'] },
  },
  'PUT /v1/notifications/active': { onlyUsers: true },
  'GET /v1/push-subscriptions': { onlyUsers: true, isOfCaller: true, prepare: addBrowser },
  'GET /v1/push-subscriptions/key': { onlyUsers: true },
  'PUT /v1/push-subscriptions': {
    onlyUsers: true,
    isOfCaller: true,
    body: () => ({ endpoint: `https://203.0.114.1/${newId()}`, keys: makeBrowser().keys }),
  },
  'DELETE /v1/push-subscriptions/{id}': {
    onlyUsers: true,
    isOfCaller: true,
    prepare: addBrowser,
  },
  'GET /v1/notification-settings': { onlyUsers: true },
  'PUT /v1/notification-settings': { onlyUsers: true },
  'PATCH /v1/auth/me': {
    onlyUsers: true,
    body: ({ fresh: { attachment } }) => ({ name: 'Ana', picture: attachment }),
    prepare: uploads(makePng(), 'IMAGE'),
  },
  'PUT /v1/auth/me/avatar': { onlyUsers: true, body: () => ({ file: { base64: makePng().toString('base64') } }) },
  'POST /v1/auth/login': {
    body: ({ marker }) => ({ email: `${marker}@example.test`, password: PASSWORD, code: undefined }),
    prepare: withoutFactors,
  },
  'POST /v1/auth/forgot-password': { body: ({ marker }) => ({ email: `${marker}@example.test` }) },
  'POST /v1/auth/reset-password': {
    body: ({ linkToken }) => ({ token: linkToken, new_password: PASSWORD }),
    prepare: addLink,
  },
  'POST /v1/auth/read-link': { body: ({ linkToken }) => ({ token: linkToken }), prepare: addLink },
  'POST /v1/auth/accept-invitation': { body: ({ linkToken }) => ({ token: linkToken }), prepare: addInvitation },
  'POST /v1/companies': { body: () => ({ owner: { name: 'Ana', email: freshEmail('owner') } }) },
  'PATCH /v1/companies/{id}': { body: () => ({ description: 'Bread and coffee' }) },
  'POST /v1/inboxes': { body: () => ({ channel: 'WEB_V2' }) },
  'POST /v1/inboxes/{id}/check-numbers': { body: () => ({ numbers: ['+5511988887777'] }) },
  'POST /v1/inboxes/{id}/connect-link': { params: ({ fresh: { inbox = '' } }) => ({ id: inbox }), prepare: addProfile },
  'POST /v1/inboxes/{id}/templates': { body: () => makeTemplate(`till_${newId()}`) },
  'PUT /v1/inboxes/{id}/templates/{name}': {
    params: ({ fresh: { template = '' } }) => ({ name: template }),
    body: () => ({ language: 'pt_BR', components: [{ type: 'BODY', text: 'Boa tarde!' }] }),
    prepare: addTemplate,
  },
  'DELETE /v1/inboxes/{id}/templates/{name}': {
    params: ({ fresh: { template = '' } }) => ({ name: template }),
    prepare: addTemplate,
  },
  'POST /v1/messages/{id}/revoke': {
    params: ({ fresh: { message = '' } }) => ({ id: message }),
    prepare: addRevocable,
  },
  'POST /v1/messages/note': { body: () => ({ message: { content: 'Hello' } }) },
  'POST /v1/messages/send-text': sends(() => ({ content: 'Hello' })),
  'POST /v1/messages/send-content': sends(() => ({ contentType: 'LOCATION', location: { latitude: 1, longitude: 2 } })),
  'POST /v1/messages/send-template': sends(({ marker }) => ({ template: { name: marker, language: 'pt_BR' } })),
  'POST /v1/custom-fields': { body: () => ({ slug: `till_${newId()}` }) },
  'PATCH /v1/custom-fields/{id}': { body: () => ({ title: 'Till' }) },
  'POST /v1/contacts': { body: () => ({ name: 'Ana' }) },
  'POST /v1/contacts/bulk': {
    body: () => ({ contacts: [{ external_id: `till_${newId()}`, name: 'Ana' }] }),
  },
  'POST /v1/contacts/bulk-changes': {
    body: (own) => ({ ids: [findId(own, 'contact')], filter: undefined, change: { add_tags: ['till'] } }),
    excludes: { filter: ['ids'] },
    prepare: endRuns,
  },
  'POST /v1/contacts/import/phone-numbers': { body: () => ({ phone_numbers: ['+5511988880000'] }) },
  'POST /v1/contacts/import': {
    body: () => ({ file: 'external_id\nAna\n', mapping: { external_id: 'external_id' } }),
    prepare: endImports,
  },
  'POST /v1/messages/send-bulk-template': {
    body: ({ marker }) => ({ templateName: marker, languageCode: 'pt_BR', contacts: [{ phone: makePhoneNumber() }] }),
  },
  'POST /v1/campaigns': {
    body: ({ marker }) => ({
      steps: [{ template: { name: marker, language: 'pt_BR' } }],
      audience: { filters: [{ field: 'contact.name', operator: 'is_empty' }], tags: [marker] },
      time_zone: 'UTC',
      sending_hours: { from: '09:00', to: '18:00', days: [1] },
    }),
  },
  'POST /v1/campaigns/{id}/start': { prepare: putCampaign('DRAFT') },
  'POST /v1/campaigns/{id}/pause': { prepare: putCampaign('SCHEDULED') },
  'POST /v1/campaigns/{id}/resume': { prepare: putCampaign('PAUSED') },
  'POST /v1/campaigns/{id}/cancel': { prepare: putCampaign('SCHEDULED') },
  'POST /v1/campaign-enrollments/{id}/cancel': { prepare: waitForever },
  'PATCH /v1/campaigns/{id}': {
    prepare: putCampaign('DRAFT'),
    body: ({ marker }) => ({
      steps: [{ template: { name: marker, language: 'pt_BR' } }],
      audience: { filters: [{ field: 'contact.name', operator: 'is_empty' }] },
    }),
  },
  'POST /v1/campaigns/{id}/enrollments': {
    prepare: putCampaign('DRAFT'),
    body: (own) => ({ contacts: [{ contact: findId(own, 'contact'), parameters: { till: 'Till' } }] }),
  },
  'POST /v1/campaigns/{id}/enrollments/sheet': {
    prepare: putCampaign('DRAFT'),
    body: () => ({ file: `phone,name\n${makePhoneNumber()},Ana\n` }),
  },
  'POST /v1/resource/upload-attachment': { body: ({ marker }) => ({ file: marker, fileType: 'DOCUMENT' }) },
  'DELETE /v1/resource/attachments/{id}': { prepare: addAttachment },
  'POST /v1/pipelines': { body: () => ({ name: 'Sales', steps: [{ name: 'New' }] }) },
  'PATCH /v1/pipelines/{id}': {
    params: ({ fresh: { pipeline = '' } }) => ({ id: pipeline }),
    body: ({ fresh: { step, spareStep = '' } }) => ({
      name: 'Sales',
      steps: [{ _id: step, name: 'New' }],
      replacements: { [spareStep]: step },
    }),
    prepare: addPipeline,
  },
  'POST /v1/conversations': { body: ({ fresh: { contact } }) => ({ contact }), prepare: addContact },
  'POST /v1/conversations/bulk': {
    body: (own) => ({ ids: [findId(own, 'conversation')], filter: undefined, change: { add_tags: ['till'] } }),
    excludes: { filter: ['ids'] },
    prepare: endRuns,
  },
  'POST /v1/messages/send-image': sendsFile(makePng(), 'IMAGE'),
  'POST /v1/messages/send-audio': sendsFile(makeMp3(), 'AUDIO'),
  'POST /v1/messages/send-video': sendsFile(await makeMp4(), 'VIDEO'),
  'POST /v1/messages/send-document': sends((own) => ({ attachment: findId(own, 'attachment') })),
  'POST /v1/messages/send-sticker': sendsFile(makeWebp(), 'STICKER'),
  'POST /v1/quick-replies': {
    body: () => ({ shortcut: newId(), content: 'Olá', owner: null }),
  },
  'PATCH /v1/quick-replies/{id}': { body: () => ({ title: 'Till' }) },
  'POST /v1/macros': { body: () => ({ owner: null, actions: { add_tags: ['till'] } }), at: sendsTemplate },
  'PATCH /v1/macros/{id}': { body: () => ({ name: 'Till' }), at: sendsTemplate },
  'POST /v1/conversations/{id}/merge': {
    params: ({ fresh: { into = '' } }) => ({ id: into }),
    body: ({ fresh: { conversation } }) => ({ conversation }),
    prepare: addPair,
  },
  'POST /v1/conversations/{id}/macro': { body: (own) => ({ macro: findId(own, 'macro'), hold_seconds: 0 }) },
  'POST /v1/macros/{id}/run': {
    body: (own) => ({ ids: [findId(own, 'conversation')], filter: undefined }),
    excludes: { filter: ['ids'] },
    prepare: endRuns,
  },
  'POST /v1/rules': { body: makeRule, at: sendsTemplate },
  'PATCH /v1/rules/{id}': { body: makeRule, at: sendsTemplate },
  'POST /v1/rules/dry-run': { body: (own) => ({ event: 'MESSAGE_RECEIVED', conditions: onField(own) }) },
  'POST /v1/teams': { body: () => ({ name: newId() }) },
  'PATCH /v1/teams/{id}': { body: () => ({ description: 'Takes orders' }) },
  'POST /v1/sla-policies': {
    body: (own) => ({ name: 'Usual', first_reply_minutes: 60, inboxes: [findId(own, 'inbox')] }),
  },
  'PATCH /v1/sla-policies/{id}': { body: (own) => ({ teams: [findId(own, 'team')] }) },
  'POST /v1/business-hours': {
    body: () => ({ name: 'Shop', time_zone: 'America/Sao_Paulo', days: [{ day: 'MON', from: '09:00', to: '18:00' }] }),
  },
  'PATCH /v1/business-hours/{id}': { body: () => ({ name: 'Shop' }) },
  'POST /v1/views': { body: () => ({ name: newId(), is_shared: true, filters: { open: true } }) },
  'POST /v1/segments': { body: () => ({ name: newId(), is_shared: true, filters: { search: 'ana' } }) },
  'PATCH /v1/segments/{id}': { body: () => ({ position: 1 }) },
  'PATCH /v1/views/{id}': { body: () => ({ position: 1 }) },
  'POST /v1/scheduled-messages': {
    body: (own) => ({ ...schedules(own), hold_seconds: undefined }),
    at: schedulesTemplate,
  },
  'PATCH /v1/scheduled-messages/{id}': {
    body: schedules,
    at: schedulesTemplate,
    prepare: scheduleMessageAgain,
  },
  'POST /v1/scheduled-messages/{id}/send': { prepare: scheduleMessageAgain },
  'POST /v1/scheduled-messages/{id}/cancel': { prepare: scheduleMessageAgain },
  'POST /v1/agents/follow-ups/{id}/cancel': { prepare: scheduleAgain },
  'POST /v1/agents': { body: () => ({ type: 'AI', url: null, follow_ups: [FOLLOW_UP] }) },
  'PATCH /v1/agents/{id}': { body: () => ({ url: null, follow_ups: [FOLLOW_UP] }) },
  'POST /v1/agents/{id}/try': { body: ({ marker }) => ({ message: `${marker} knowledge` }) },
  'POST /v1/conversations/{id}/draft': { prepare: enableAssist },
  'POST /v1/conversations/{id}/rewrite': {
    body: () => ({ text: 'Open at nine.', style: 'SHORTER' }),
    prepare: enableAssist,
  },
  'POST /v1/conversations/{id}/summarize': { body: () => ({ language: 'en' }), prepare: enableAssist },
  'POST /v1/messages/{id}/translate': { body: () => ({ language: 'en' }), prepare: enableAssist },
  'POST /v1/agents/mcp-servers': {
    body: () => ({ url: 'http://127.0.0.1:9/mcp', header: null, tools: [] }),
    prepare: removeMcpServers,
  },
  'PATCH /v1/agents/mcp-servers/{id}': { body: () => ({ url: 'http://127.0.0.1:9/mcp', header: null, tools: [] }) },
  'POST /v1/knowledge/autcl': { body: () => ({ content: '# Till\n\nOpen at nine.' }) },
  'PUT /v1/knowledge/synonyms': { body: () => ({ groups: [{ language: 'pt', words: ['till', 'caixa'] }] }) },
  'POST /v1/knowledge/upload': { body: ({ marker }) => ({ file: marker, type: 'KNOWLEDGE' }) },
  'PUT /v1/knowledge/autcl/{id}': { body: () => ({ content: 'Open at ten.' }) },
  'POST /v1/tables': { body: () => ({ slug: `till_${newId()}`, columns: [{ key: 'note', type: 'TEXT' }] }) },
  'PATCH /v1/tables/{id}': { body: () => ({ description: 'What is sold' }) },
  'POST /v1/tables/{id}/import': {
    body: () => ({ file: 'note\nAna\n', mapping: { note: 'note' } }),
    prepare: endImports,
  },
  'PUT /v1/door-webhooks': { body: () => ({ url: 'http://127.0.0.1:9/', events: ['CALL'] }) },
  'DELETE /v1/door-webhooks/{id}': { prepare: addDoorWebhook },
  'POST /v1/webhooks': {
    body: () => ({ url: 'http://127.0.0.1:9/', events: ['FOLLOWUP_SENT'] }),
    prepare: deleteWebhook,
  },
  'GET /v1/webhooks': { prepare: prepareWebhook },
  'PUT /v1/webhooks/{id}': { body: () => ({ events: ['FOLLOWUP_SENT'] }), prepare: prepareWebhook },
  'DELETE /v1/webhooks/{id}': { prepare: prepareWebhook },
  'POST /v1/webhooks/deliveries/{id}/replay': { prepare: prepareWebhook },
  'POST /v1/webhooks/deliveries/replay': {
    prepare: prepareWebhook,
    // No delivery is so old, so nothing is sent.
    body: () => ({ from: '2020-01-01T00:00:00.000Z', to: '2020-01-02T00:00:00.000Z' }),
    other: { to: '2020-01-03T00:00:00.000Z' },
  },
};
