import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { createVisitCounter } from '../../platform/http/access.ts';
import { allowAnyOrigin } from '../../platform/http/cross-origin.ts';
import { hangUpSignal } from '../../platform/http/hang-up.ts';
import { declareTag } from '../../platform/http/description.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { createArrivals } from './arrivals.ts';
import { pageAttachments, readAttachment, removeAttachment, signAttachment } from './attachments.ts';
import { servePublicLink, serveSignedLink, type PublicParams, type SignedParams } from './links.ts';
import { Attachment, AttachmentList, AttachmentParams, AttachmentQuery, SignedUrl, UploadForm } from './schemas.ts';
import { UPLOAD_LIMITS, uploadAttachment } from './upload.ts';

export function attachmentRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('attachments', 'Uploaded files, and files that contacts have sent', 'resource');
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/resource/upload-attachment',
    scope: 'attachments:create',
    summary: 'Upload a file',
    description:
      'The contents determine the type of the file, not its name or media type. The file is stored permanently and can be used in many messages.',
    body: UploadForm,
    form: UPLOAD_LIMITS,
    answers: { 201: ref(Attachment) },
    errors: ['QUOTA_EXCEEDED'],
    handler: (tenant, { upload, body, reply }) =>
      uploadAttachment(kit, tenant, { upload, body, signal: hangUpSignal(reply) }),
    again: (tenant, id) => readAttachment(kit, tenant, id),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/resource/attachments',
    scope: 'attachments:read',
    summary: 'List attachments',
    description: 'Uploaded files and files that contacts have sent; filter by `file_type` for one kind.',
    query: AttachmentQuery,
    answers: { 200: AttachmentList },
    handler: (tenant, { query }) => pageAttachments(kit, tenant, query),
  });
  recordRoutes(app, kit);
  linkRoutes(app, kit);
}

function recordRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/resource/attachments/:id',
    scope: 'attachments:read',
    summary: 'Read an attachment',
    description:
      'Returns the type, size and name of the file. To open the file itself, make a link with `GET /v1/resource/attachments/{id}/url`.',
    params: AttachmentParams,
    answers: { 200: ref(Attachment) },
    handler: (tenant, { params }) => readAttachment(kit, tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/resource/attachments/:id/url',
    scope: 'attachments:read',
    summary: 'Make a link that opens the file for an hour',
    description: 'The link is signed and needs no token, so anyone who has it can open the file until it expires.',
    params: AttachmentParams,
    answers: { 200: ref(SignedUrl) },
    handler: (tenant, { params }) => signAttachment(kit, tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/resource/attachments/:id',
    scope: 'attachments:delete',
    summary: 'Remove an unused attachment with its file and its links',
    description:
      'Links to the file stop working. A file that is in use, for example in a message or a campaign, is kept (409).',
    params: AttachmentParams,
    answers: { 200: ref(Attachment) },
    errors: ['ATTACHMENT_IN_USE'],
    handler: (tenant, { params }) => removeAttachment(kit, tenant, params.id),
  });
}

/** Serves the files behind links. These routes are not operations of the API, because whoever opens a link has no token. */
function linkRoutes(app: FastifyInstance, kit: Kit): void {
  const serving = { kit, arrivals: createArrivals(kit.changes) };
  const options = {
    method: ['GET', 'HEAD'],
    config: { access: 'public', origins: allowAnyOrigin },
    onRequest: createVisitCounter(kit.access),
  };
  app.route<{ Params: PublicParams }>({
    ...options,
    url: '/files/:company/:link',
    handler: (request, reply) => servePublicLink(serving, request, reply),
  });
  app.route<{ Params: SignedParams; Querystring: Record<string, unknown> }>({
    ...options,
    url: '/files/:company/:kind/:name',
    handler: (request, reply) => serveSignedLink(serving, request, reply),
  });
}
