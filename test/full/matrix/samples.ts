/**
 * What the document does not say about an operation: values of a body that succeeds, and what has to be there before. The schemas provide
 * the rest of a body, so most operations need no sample.
 */
import { hashToken } from '../../../src/platform/auth.ts';
import { newId } from '../../../src/platform/ids.ts';
import { ROLE_SCOPES } from '../../../src/platform/scopes.ts';
import { freshEmail, PASSWORD } from '../../support/people.ts';
import type { Json, Platform } from '../../support/platform.ts';
import { createWebhook, findId, type Side } from './companies.ts';

interface Sample {
  /** Further scopes that a key needs, because a caller can only give or change rights that it has. */
  also?: readonly string[];
  /** The answer to a global key without a company, where it differs from that of other operations; for `apart` see globals.ts. */
  homeless?: 'apart' | 'NOT_FOUND';
  /** Ids of the path, where the company's record of that kind does not do. */
  params?(own: Side): Record<string, string>;
  /** Values of the body; for a form its parts, with the text of the file. */
  body?(own: Side): Json;
  /** Prepares the data so that the next request succeeds, whatever the last one did. */
  prepare?(platform: Platform, own: Side): Promise<void>;
}

async function ensureWebhook(platform: Platform, own: Side): Promise<void> {
  const [row] = await platform.database.sql<{ _id: string }>('select _id from webhooks where company_id = $1', [
    own._id,
  ]);
  own.records.webhook = row?._id ?? (await createWebhook(platform, own, own.marker));
}

async function dropWebhook({ database }: Platform, own: Side): Promise<void> {
  await database.sql('delete from event_listeners where company_id = $1', [own._id]);
  await database.sql('delete from webhooks where company_id = $1', [own._id]);
}

/** Creates a user without an invitation, because invitations are limited. */
async function addUser(platform: Platform, own: Side): Promise<void> {
  own.fresh = { user: (await platform.createUser(own._id, 'VIEWER'))._id };
}

/** Creates a contact without a conversation. */
async function addContact({ call }: Platform, own: Side): Promise<void> {
  own.fresh = { contact: (await call(201, 'POST', '/v1/contacts', { key: own.key, body: { name: 'Ana' } })).body._id };
}

/** Creates a pipeline with a step that may be removed. */
async function addPipeline({ call }: Platform, own: Side): Promise<void> {
  const body = { name: 'Sales', steps: [{ name: 'New' }, { name: 'Old' }] };
  const { _id, steps } = (await call(201, 'POST', '/v1/pipelines', { key: own.key, body })).body;
  own.fresh = { pipeline: _id, step: steps[0]._id, spareStep: steps[1]._id };
}

/** Ends the company's waiting imports, because only a few may wait at a time. The statement waits for an import that a worker holds. */
async function endImports({ database }: Platform, own: Side): Promise<void> {
  await database.sql(
    `update imports set status = 'FAILED', started_at = now(), finished_at = now() where company_id = $1 and finished_at is null`,
    [own._id],
  );
}

/** Creates a link as it would be mailed. */
async function addLink({ database }: Platform, own: Side, user = findId(own, 'user')): Promise<void> {
  own.linkToken = `${own.marker}-link-${newId()}`;
  own.linkUser = user;
  await database.sql(
    `insert into password_tokens (token_hash, company_id, user_id, expires_at) values ($1, $2, $3, now() + interval '1 hour')`,
    [hashToken(own.linkToken), own._id, user],
  );
}

/** Creates an invitation for a person who has a password already. */
async function addInvitation(platform: Platform, own: Side): Promise<void> {
  const { _id } = await platform.createUser(own._id, 'VIEWER');
  await platform.database.sql(`update users set status = 'INVITED', accepted_at = null where _id = $1`, [_id]);
  await addLink(platform, own, _id);
}

export const SAMPLES: Record<string, Sample> = {
  'POST /v1/users': {
    also: ROLE_SCOPES.VIEWER,
    body: () => ({ name: 'Ana', email: freshEmail('matrix'), role: 'VIEWER' }),
  },
  'PATCH /v1/users/{id}': { also: ROLE_SCOPES.VIEWER, body: () => ({ language: 'es' }) },
  'DELETE /v1/users/{id}': { also: ROLE_SCOPES.VIEWER, prepare: addUser },
  'GET /v1/api-keys': { homeless: 'apart' },
  'POST /v1/api-keys': { body: () => ({ name: 'Till', type: 'company', scopes: ['api-keys:create'] }) },
  'DELETE /v1/api-keys/{id}': { homeless: 'NOT_FOUND' },
  'POST /v1/auth/login': { body: ({ marker }) => ({ email: `${marker}@example.test`, password: PASSWORD }) },
  'POST /v1/auth/forgot-password': { body: ({ marker }) => ({ email: `${marker}@example.test` }) },
  'POST /v1/auth/reset-password': {
    body: ({ linkToken }) => ({ token: linkToken, new_password: PASSWORD }),
    prepare: addLink,
  },
  'POST /v1/auth/accept-invitation': { body: ({ linkToken }) => ({ token: linkToken }), prepare: addInvitation },
  'POST /v1/companies': { body: () => ({ owner: { name: 'Ana', email: freshEmail('owner') } }) },
  'PATCH /v1/companies/{id}': { body: () => ({ description: 'Bread and coffee' }) },
  'POST /v1/inboxes': { body: () => ({ channel: 'WEB_V2' }) },
  'POST /v1/custom-fields': { body: () => ({ slug: `till_${newId()}` }) },
  'PATCH /v1/custom-fields/{id}': { body: () => ({ title: 'Till' }) },
  'POST /v1/contacts': { body: () => ({ name: 'Ana' }) },
  'POST /v1/contacts/import': {
    also: ['contacts:update'],
    body: () => ({ file: 'name\nAna\n', mapping: { name: 'name' } }),
    prepare: endImports,
  },
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
  'POST /v1/tables': { body: () => ({ slug: `till_${newId()}`, columns: [{ key: 'note', type: 'TEXT' }] }) },
  'PATCH /v1/tables/{id}': { body: () => ({ description: 'What is sold' }) },
  'POST /v1/tables/{id}/import': {
    body: () => ({ file: 'note\nAna\n', mapping: { note: 'note' } }),
    prepare: endImports,
  },
  'POST /v1/webhooks': {
    body: () => ({ url: 'http://127.0.0.1:9/', events: ['FOLLOWUP_SENT'] }),
    prepare: dropWebhook,
  },
  'GET /v1/webhooks': { prepare: ensureWebhook },
  'PUT /v1/webhooks/{id}': { body: () => ({ events: ['FOLLOWUP_SENT'] }), prepare: ensureWebhook },
  'DELETE /v1/webhooks/{id}': { prepare: ensureWebhook },
  'POST /v1/webhooks/deliveries/{id}/replay': { prepare: ensureWebhook },
};
