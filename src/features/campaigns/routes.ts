import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { CSV_ANSWER } from '../../platform/http/download.ts';
import { hangUpSignal } from '../../platform/http/hang-up.ts';
import { newId } from '../../platform/values/ids.ts';
import { declareTag } from '../../platform/http/description.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import type { Tenant } from '../../platform/store/tenant.ts';
import { addListed, addSheet } from './adding/add.ts';
import { AddedContacts, ContactsToAdd, MAX_SHEET_BYTES, SheetToAdd } from './adding/schemas.ts';
import { readAnalytics } from './enrollments/analytics.ts';
import { createCampaign, pageCampaigns, readCampaign, removeCampaign, updateCampaignById } from './campaigns.ts';
import { cancelEnrollmentById, pageEnrollments, readEnrollment } from './enrollments/enrollments.ts';
import {
  CampaignAnalytics,
  CampaignExportQuery,
  Enrollment,
  EnrollmentList,
  EnrollmentParams,
  EnrollmentQuery,
} from './enrollments/schemas.ts';
import { exportCampaign } from './enrollments/export.ts';
import { NEEDS_FOR_AUDIENCE, NEEDS_FOR_ENROLLMENTS, NEEDS_FOR_EXPORT } from './needs.ts';
import { previewCampaign } from './preview.ts';
import { cancelCampaign, pauseCampaign, resumeCampaign, startCampaign } from './states.ts';
import {
  Campaign,
  CampaignCreate,
  CampaignList,
  CampaignParams,
  CampaignPreview,
  CampaignQuery,
  CampaignUpdate,
} from './schemas.ts';

export function campaignRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('campaigns', 'Templates to many contacts');
  declareTag('campaign-enrollments', 'The contacts of a campaign and their progress');
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/campaigns',
    scope: 'campaigns:create',
    needs: [NEEDS_FOR_AUDIENCE],
    summary: 'Create a campaign',
    description: WORDS,
    body: ref(CampaignCreate),
    answers: { 201: ref(Campaign) },
    errors: ['TEMPLATES_NOT_SUPPORTED', 'QUOTA_EXCEEDED'],
    handler: (tenant, { body }) => createCampaign(kit, tenant, body),
    again: readCampaign,
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/campaigns',
    scope: 'campaigns:read',
    summary: 'List campaigns',
    description: 'Drafts, running and ended campaigns; filter by `status` and `inbox`.',
    query: CampaignQuery,
    answers: { 200: CampaignList },
    errors: ['UNKNOWN_REFERENCE'],
    handler: (tenant, { query }) => pageCampaigns(tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/campaigns/:id/preview',
    scope: 'campaigns:read',
    needs: [{ scopes: ['contacts:read'] }],
    summary: 'Preview a campaign',
    description: PREVIEW,
    params: CampaignParams,
    answers: { 200: ref(CampaignPreview) },
    handler: (tenant, { params }) => previewCampaign(kit, tenant, params.id),
  });
  recordRoutes(app, kit);
  stateRoutes(app, kit);
  outcomeRoutes(app, kit);
  enrollmentRoutes(app, kit);
  addingRoutes(app, kit);
}

function recordRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/campaigns/:id',
    scope: 'campaigns:read',
    summary: 'Read a campaign',
    description: 'Returns the settings and the status. `GET /v1/campaigns/{id}/analytics` returns the results.',
    params: CampaignParams,
    answers: { 200: ref(Campaign) },
    handler: (tenant, { params }) => readCampaign(tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'PATCH',
    path: '/v1/campaigns/:id',
    scope: 'campaigns:update',
    needs: [NEEDS_FOR_AUDIENCE],
    summary: 'Change a campaign',
    description:
      'Given `steps` replace all steps, and a given `audience` replaces the entire audience. Once a campaign ' +
      'was started, only its name, pace, hours and options can be changed; a worker applies them within ' +
      'seconds.',
    params: CampaignParams,
    body: ref(CampaignUpdate),
    answers: { 200: ref(Campaign) },
    errors: ['CAMPAIGN_STATE', 'TEMPLATES_NOT_SUPPORTED', 'QUOTA_EXCEEDED'],
    handler: (tenant, { params, body }) => updateCampaignById(kit, tenant, params.id, body),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/campaigns/:id',
    scope: 'campaigns:delete',
    summary: 'Remove a campaign',
    description: 'A campaign that was started cannot be removed; cancel it instead.',
    params: CampaignParams,
    answers: { 200: ref(Campaign) },
    errors: ['CAMPAIGN_STATE'],
    handler: (tenant, { params }) => removeCampaign(tenant, params.id),
  });
}

function stateRoutes(app: FastifyInstance, kit: Kit): void {
  const changes = [
    { verb: 'start', summary: 'Start a campaign', description: START, change: startCampaign },
    {
      verb: 'pause',
      summary: 'Pause a campaign',
      description: PAUSE,
      change: (_kit: Kit, tenant: Tenant, id: string) => pauseCampaign(tenant, id),
    },
    { verb: 'resume', summary: 'Resume a paused campaign', description: RESUME, change: resumeCampaign },
    {
      verb: 'cancel',
      summary: 'Cancel a campaign',
      description: CANCEL,
      change: (_kit: Kit, tenant: Tenant, id: string) => cancelCampaign(tenant, id),
    },
  ] as const;
  for (const { verb, summary, description, change } of changes)
    operation(app, kit.access, {
      method: 'POST',
      path: `/v1/campaigns/:id/${verb}`,
      scope: 'campaigns:update',
      action: `campaigns.${verb}`,
      summary,
      description,
      params: CampaignParams,
      answers: { 201: ref(Campaign) },
      errors: ['CAMPAIGN_STATE', 'TEMPLATE_NOT_SENDABLE', 'TEMPLATES_NOT_SUPPORTED', 'UNKNOWN_REFERENCE'],
      handler: (tenant, { params }) => change(kit, tenant, params.id),
      again: (tenant, id) => readCampaign(tenant, id),
    });
}

function outcomeRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/campaigns/:id/analytics',
    scope: 'campaigns:read',
    summary: 'Read the results of a campaign',
    description: ANALYTICS,
    params: CampaignParams,
    answers: { 200: ref(CampaignAnalytics) },
    handler: (tenant, { params }) => readAnalytics(tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/campaigns/:id/export',
    scope: 'campaigns:read',
    needs: [NEEDS_FOR_EXPORT],
    summary: 'Export a campaign as CSV',
    description: EXPORT,
    params: CampaignParams,
    query: CampaignExportQuery,
    answers: { 200: CSV_ANSWER },
    handler: (tenant, { params, query, reply }) => exportCampaign(kit, tenant, params.id, { query, reply }),
  });
}

function enrollmentRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/campaign-enrollments',
    scope: 'campaign-enrollments:read',
    summary: 'List campaign enrollments',
    description: 'One enrollment for each contact of a campaign, with the step it has reached; filter by `campaign`.',
    query: EnrollmentQuery,
    answers: { 200: EnrollmentList },
    errors: ['UNKNOWN_REFERENCE'],
    handler: (tenant, { query }) => pageEnrollments(tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/campaign-enrollments/:id',
    scope: 'campaign-enrollments:read',
    summary: 'Read an enrollment',
    description: 'Returns the state of the contact, the last message it got, and why it was skipped or failed.',
    params: EnrollmentParams,
    answers: { 200: ref(Enrollment) },
    handler: (tenant, { params }) => readEnrollment(tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/campaign-enrollments/:id/cancel',
    scope: 'campaign-enrollments:update',
    action: 'campaign-enrollments.cancel',
    summary: 'Cancel an enrollment',
    description:
      'The contact gets no further messages of the campaign. If it got nothing yet, it becomes CANCELLED; otherwise it keeps its status.',
    params: EnrollmentParams,
    answers: { 201: ref(Enrollment) },
    errors: ['ENROLLMENT_ENDED'],
    handler: (tenant, { params }) => cancelEnrollmentById(tenant, params.id),
    again: (tenant, id) => readEnrollment(tenant, id),
  });
}

function addingRoutes(app: FastifyInstance, kit: Kit): void {
  const common = {
    method: 'POST',
    scope: 'campaign-enrollments:create',
    params: CampaignParams,
    answers: { 201: ref(AddedContacts) },
  } as const;
  operation(app, kit.access, {
    ...common,
    path: '/v1/campaigns/:id/enrollments',
    needs: [NEEDS_FOR_ENROLLMENTS],
    summary: 'Add contacts to a campaign',
    description: ADDING,
    body: ref(ContactsToAdd),
    errors: ['CAMPAIGN_STATE', 'QUOTA_EXCEEDED'],
    handler: (tenant, { params, body }) => addListed(tenant, { campaign: params.id, addedBy: newId() }, body),
    again: (tenant, addedBy, { params, body }) => addListed(tenant, { campaign: params.id, addedBy }, body),
  });
  operation(app, kit.access, {
    ...common,
    path: '/v1/campaigns/:id/enrollments/sheet',
    summary: 'Add the contacts of a sheet to a campaign',
    description: ADDING_SHEET,
    form: { maxBytes: MAX_SHEET_BYTES },
    body: SheetToAdd,
    errors: ['CAMPAIGN_STATE', 'QUOTA_EXCEEDED'],
    handler: (tenant, { params, body, upload, reply }) =>
      addSheet(kit, tenant, { campaign: params.id, addedBy: newId() }, { body, upload, signal: hangUpSignal(reply) }),
    again: (tenant, addedBy, { params, body, upload, reply }) =>
      addSheet(kit, tenant, { campaign: params.id, addedBy }, { body, upload, signal: hangUpSignal(reply) }),
  });
}

const EXPORT =
  'Returns the contacts of a campaign with their statuses, or its counters. A company can run two exports ' +
  'at a time (429). If an export cannot be read to its end, the connection is cut.';

const ADDING =
  'Enrolls contacts by their ids or phone numbers; unknown phone numbers create contacts. Each contact is ' +
  'enrolled once. `errors` lists the contacts that were not enrolled and why; the others are enrolled. ' +
  'Contacts added before the campaign starts are part of its audience, also in the preview. Contacts added ' +
  'later get the first step after its delay, and a completed campaign runs again. Whether a contact is ' +
  'skipped is decided when the message is sent.';

const ADDING_SHEET =
  'For a CSV or XLSX with a column of phone numbers, optionally one of names, and columns that the ' +
  'templates use by `variable_ref`: at most 10,000 rows and 10 MB. A campaign accepts any number of sheets.';

const START =
  'Checks the campaign and starts it; with `scheduled_at` in the future it becomes SCHEDULED. The audience ' +
  'is fixed at the start: the contacts that exist then, with the values that the templates use at that ' +
  'time. Starting a SCHEDULED campaign starts it immediately.';
const PAUSE =
  'Sending stops within two seconds. A campaign that is already paused is returned unchanged; if the daily ' +
  'limit paused it, it no longer resumes automatically.';
const RESUME =
  'The campaign continues where it stopped. Its templates are checked again, and the error threshold counts from here.';
const CANCEL =
  'Nothing more is sent; contacts that got nothing yet become CANCELLED. A cancelled campaign cannot be resumed.';
const ANALYTICS =
  'Each contact counts once, in its furthest state; a read message also counts as delivered and sent. Equally fast for any number of contacts.';

const WORDS =
  'A campaign is a draft until it is started. `steps` has one message, or the messages of a sequence with ' +
  'their delays. You can use a template that is not approved yet; the preview reports it.';

const PREVIEW =
  'Returns what the campaign would do if it started now: how many contacts its audience has, how many of ' +
  'them would be skipped and why, and the first ten messages as their contacts will read them. Nothing is ' +
  'sent or stored.';
