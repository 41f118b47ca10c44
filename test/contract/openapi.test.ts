/** Compares the API's description with the routes that are served and with the rules for such a document. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildApi } from '../../src/api.ts';
import { ERRORS } from '../../src/platform/values/errors.ts';
import { ID_PATTERN, RECORDS_KEYWORD } from '../../src/platform/values/schema.ts';
import { GRANTABLE } from '../../src/platform/values/scopes.ts';
import { PLACEHOLDER_HEALTH } from '../../src/platform/http/service.ts';
import { startPlatform, type Json } from '../support/platform.ts';

const platform = await startPlatform();
const document: Json = (await platform.call(200, 'GET', '/openapi.json', { key: null })).body;

interface Operation {
  /** The operation's name, as in `GET /v1/inboxes/{id}`. */
  name: string;
  method: string;
  path: string;
  spec: Json;
  /** The operation's parameters in headers, path and query. */
  parameters: Json[];
  secured: boolean;
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const operations: Operation[] = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
  Object.entries<Json>(item).map(([method, spec]) => ({
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    spec,
    parameters: spec.parameters ?? [],
    secured: spec.security.length > 0,
  })),
);
const findHeader = ({ parameters }: Operation, name: string): Json =>
  parameters.find((parameter) => parameter.in === 'header' && parameter.name === name);

/** The operations that need no token, each with the reason. */
const PUBLIC: Record<string, string> = {
  'POST /v1/auth/login': 'is where a token comes from',
  'POST /v1/auth/session': 'is where a session comes from',
  'POST /v1/auth/session/link': 'is where a session comes from',
  'POST /v1/auth/session/single-sign-on': 'is where a session comes from',
  'POST /v1/auth/session/passkey': 'is where a session comes from',
  'POST /v1/auth/single-sign-on': 'whoever asks is about to log in',
  'POST /v1/auth/passkey': 'whoever asks is about to log in',
  'DELETE /v1/auth/session': 'ends the session of a cookie',
  'POST /v1/auth/forgot-password': 'whoever asks cannot log in',
  'POST /v1/auth/reset-password': 'the token of the mail is in the body',
  'POST /v1/auth/read-link': 'the token of the mail is in the body',
  'POST /v1/auth/accept-invitation': 'the token of the mail is in the body',
};

/** The operations whose scope is not that of their method on the records of their tag, each with the reason. */
const OTHER_SCOPES: Record<string, { scope: string | undefined; why: string }> = {
  'GET /v1/auth/me': { scope: undefined, why: 'tells each token what it may do' },
  'PATCH /v1/auth/me': { scope: undefined, why: 'every user may change their own name and picture' },
  'PUT /v1/auth/me/avatar': { scope: undefined, why: 'every user may change their own picture' },
  ...Object.fromEntries(
    ['GET ', 'POST ', 'POST /begin', 'POST /recovery-codes', 'POST /disable'].map((each) => [
      each.replace(' ', ' /v1/auth/second-factor'),
      { scope: undefined, why: 'every user has their own' },
    ]),
  ),
  ...Object.fromEntries(
    ['GET ', 'POST ', 'POST /begin', 'PATCH /{id}', 'POST /{id}/remove'].map((each) => [
      each.replace(' ', ' /v1/auth/passkeys'),
      { scope: undefined, why: 'every user has their own' },
    ]),
  ),
  ...Object.fromEntries(
    ['GET ', 'PUT ', 'DELETE ', 'POST /test'].map((each) => [
      each.replace(' ', ' /v1/single-sign-on'),
      { scope: 'companies:update', why: 'changes how the company logs in' },
    ]),
  ),
  'DELETE /v1/auth/single-sign-on': { scope: undefined, why: 'every user has their own' },
  'DELETE /v1/users/{id}/second-factor': { scope: 'users:update', why: 'changes a user' },
  'DELETE /v1/users/{id}/single-sign-on': { scope: 'users:update', why: 'changes a user' },
  'GET /v1/connected-apps': { scope: undefined, why: 'shows every user their own' },
  'POST /v1/connected-apps': { scope: undefined, why: 'every user may connect apps' },
  'POST /v1/connected-apps/preview': { scope: undefined, why: 'every user may connect apps' },
  'DELETE /v1/connected-apps/{id}': { scope: undefined, why: 'every user may revoke their own' },
  ...Object.fromEntries(
    ['', '/counts', '/read'].map((end) => [
      `${end === '/read' ? 'POST' : 'GET'} /v1/notifications${end}`,
      { scope: undefined, why: 'every user has their own' },
    ]),
  ),
  ...Object.fromEntries(
    [
      'PUT /v1/notifications/active',
      'GET /v1/push-subscriptions',
      'GET /v1/push-subscriptions/key',
      'PUT /v1/push-subscriptions',
      'DELETE /v1/push-subscriptions/{id}',
    ].map((name) => [name, { scope: undefined, why: 'every user has their own' }]),
  ),
  'GET /v1/notification-settings': { scope: undefined, why: 'every user has their own' },
  'PUT /v1/notification-settings': { scope: undefined, why: 'every user has their own' },
  'POST /v1/conversations/{id}/participants': { scope: 'conversations:update', why: 'changes a conversation' },
  'DELETE /v1/conversations/{id}/participants/{userId}': {
    scope: 'conversations:update',
    why: 'changes a conversation',
  },
  'GET /v1/live': { scope: undefined, why: 'shows each token the records whose scope it has' },
  'POST /v1/conversations/{id}/typing': { scope: 'conversations:read', why: 'changes nothing of the conversation' },
  'POST /v1/conversations/bulk': { scope: 'conversations:update', why: 'changes conversations' },
  'GET /v1/conversations/{id}/transcript': { scope: 'messages:read', why: 'shows messages' },
  'GET /v1/contacts/{id}/data': { scope: 'contacts:read', why: 'shows a contact' },
  'POST /v1/contacts/bulk-changes': { scope: 'contacts:update', why: 'changes contacts' },
  'POST /v1/contacts/bulk-changes/{id}/cancel': { scope: 'contacts:update', why: 'changes a run' },
  'POST /v1/conversations/bulk/{id}/cancel': { scope: 'conversations:update', why: 'changes a run' },
  'POST /v1/agents/follow-ups/{id}/cancel': { scope: 'agents:update', why: 'changes a follow-up' },
  'POST /v1/agents/{id}/try': { scope: 'agents:update', why: 'is for those who write the agent, and uses tokens' },
  ...Object.fromEntries(
    [
      'conversations/{id}/draft',
      'conversations/{id}/rewrite',
      'conversations/{id}/summarize',
      'messages/{id}/translate',
    ].map((path) => [`POST /v1/${path}`, { scope: 'messages:create', why: 'helps those who reply, and uses tokens' }]),
  ),
  'POST /v1/agents/mcp-servers/{id}/check': { scope: 'agents:update', why: 'is for those who approve tools' },
  'POST /v1/knowledge/search': { scope: 'knowledge:read', why: 'changes nothing' },
  'POST /v1/knowledge/{id}/retry': { scope: 'knowledge:update', why: 'changes an item' },
  'GET /v1/contacts/{id}/table-rows': { scope: 'tables:read', why: 'shows rows of tables' },
  'POST /v1/contacts/{id}/notes': { scope: 'contacts:update', why: 'changes what is known of a contact' },
  'DELETE /v1/contacts/{id}/notes/{noteId}': {
    scope: 'contacts:update',
    why: 'changes what is known of a contact',
  },
  'POST /v1/conversations/{id}/merge': { scope: 'conversations:update', why: 'changes a conversation' },
  'POST /v1/contacts/{id}/merge': { scope: 'contacts:update', why: 'changes a contact' },
  'GET /v1/inboxes/{id}/pairing': { scope: 'inboxes:update', why: 'decides which phone the inbox has' },
  'POST /v1/inboxes/{id}/check-numbers': { scope: 'inboxes:read', why: 'changes nothing' },
  'POST /v1/inboxes/{id}/connect-link': { scope: 'inboxes:update', why: 'decides which account the inbox has' },
  'POST /v1/inboxes/{id}/templates': { scope: 'inboxes:update', why: "changes the inbox's account at the network" },
  'PUT /v1/inboxes/{id}/templates/{name}': {
    scope: 'inboxes:update',
    why: "changes the inbox's account at the network",
  },
  'DELETE /v1/inboxes/{id}/templates/{name}': {
    scope: 'inboxes:update',
    why: "changes the inbox's account at the network",
  },
  'POST /v1/messages/{id}/revoke': { scope: 'messages:create', why: 'acts on what the company has sent' },
  'GET /v1/csat-surveys': { scope: 'conversations:read', why: 'says how contacts rated conversations' },
  'GET /v1/csat-surveys/{id}': { scope: 'conversations:read', why: 'says how contacts rated conversations' },
  'POST /v1/messages/note': { scope: 'notes:create', why: 'reaches no contact' },
  ...Object.fromEntries(
    [
      ['GET', ''],
      ['POST', ''],
      ['GET', '/{id}'],
      ['PATCH', '/{id}'],
      ['POST', '/{id}/send'],
      ['POST', '/{id}/cancel'],
    ].map(([method = '', end]) => [
      `${method} /v1/scheduled-messages${end}`,
      { scope: method === 'GET' ? 'messages:read' : 'messages:create', why: 'is a message' },
    ]),
  ),
  ...Object.fromEntries(
    [
      ['GET', '', 'read'],
      ['POST', '', 'create'],
      ['GET', '/{id}', 'read'],
      ['PATCH', '/{id}', 'update'],
      ['DELETE', '/{id}', 'delete'],
    ].flatMap(([method, end, action]) => [
      [`${method} /v1/teams${end}`, { scope: `users:${action}`, why: 'whoever manages users groups them' }],
      [`${method} /v1/business-hours${end}`, { scope: `inboxes:${action}`, why: 'inboxes have them' }],
      [`${method} /v1/sla-policies${end}`, { scope: `inboxes:${action}`, why: 'says how soon an inbox answers' }],
    ]),
  ),
  ...Object.fromEntries(
    [
      ['GET', ''],
      ['POST', ''],
      ['GET', '/{id}'],
      ['PATCH', '/{id}'],
      ['DELETE', '/{id}'],
    ].map(([method = '', end]) => [
      `${method} /v1/macros${end}`,
      { scope: method === 'GET' ? 'conversations:read' : 'conversations:update', why: 'changes conversations' },
    ]),
  ),
  ...Object.fromEntries(
    [
      ['GET', '', 'read'],
      ['POST', '', 'create'],
      ['POST', '/dry-run', 'read'],
      ['GET', '/{id}', 'read'],
      ['GET', '/{id}/runs', 'read'],
      ['PATCH', '/{id}', 'update'],
      ['DELETE', '/{id}', 'delete'],
    ].map(([method, end, action]) => [
      `${method} /v1/rules${end}`,
      { scope: `agents:${action}`, why: 'works without a person, as agents do' },
    ]),
  ),
  'POST /v1/macros/{id}/run': { scope: 'conversations:update', why: 'changes conversations' },
  'POST /v1/conversations/{id}/macro': { scope: 'conversations:update', why: 'changes a conversation' },
  ...Object.fromEntries(
    ['now', 'summary', 'series', 'series/export', 'breakdown', 'breakdown/export'].map((name) => [
      `GET /v1/reports/${name}`,
      { scope: 'conversations:read', why: 'counts conversations' },
    ]),
  ),
  'GET /v1/quick-replies': { scope: 'messages:read', why: 'is a text for messages' },
  'POST /v1/quick-replies': { scope: 'messages:create', why: 'everybody who sends has texts of their own' },
  'GET /v1/quick-replies/{id}': { scope: 'messages:read', why: 'is a text for messages' },
  'PATCH /v1/quick-replies/{id}': { scope: 'messages:create', why: 'everybody who sends has texts of their own' },
  'DELETE /v1/quick-replies/{id}': { scope: 'messages:create', why: 'everybody who sends has texts of their own' },
  ...Object.fromEntries(
    [
      ['GET', ''],
      ['POST', ''],
      ['GET', '/counts'],
      ['GET', '/{id}'],
      ['PATCH', '/{id}'],
      ['DELETE', '/{id}'],
    ].flatMap(([method, end]) => [
      [
        `${method} /v1/views${end}`,
        { scope: 'conversations:read', why: 'everyone who reads conversations has views of their own' },
      ],
      [
        `${method} /v1/segments${end}`,
        { scope: 'contacts:read', why: 'everyone who reads contacts has segments of their own' },
      ],
    ]),
  ),
  ...Object.fromEntries(
    ['start', 'pause', 'resume', 'cancel'].map((verb) => [
      `POST /v1/campaigns/{id}/${verb}`,
      { scope: 'campaigns:update', why: 'changes a campaign' },
    ]),
  ),
  ...Object.fromEntries(
    ['', '/sheet'].map((end) => [
      `POST /v1/campaigns/{id}/enrollments${end}`,
      { scope: 'campaign-enrollments:create', why: 'creates enrollments' },
    ]),
  ),
  'POST /v1/campaign-enrollments/{id}/cancel': { scope: 'campaign-enrollments:update', why: 'changes an enrollment' },
  ...Object.fromEntries(
    [
      ['GET /v1/door-webhooks', 'read'],
      ['PUT /v1/door-webhooks', 'update'],
      ['GET /v1/door-webhooks/{id}', 'read'],
      ['PATCH /v1/door-webhooks/{id}', 'update'],
      ['DELETE /v1/door-webhooks/{id}', 'delete'],
    ].map(([operation, action]) => [operation, { scope: `webhooks:${action}`, why: 'is a webhook as well' }]),
  ),
  'POST /v1/webhooks/deliveries/{id}/replay': { scope: 'webhooks:update', why: 'belongs to managing the webhook' },
  'POST /v1/webhooks/deliveries/replay': { scope: 'webhooks:update', why: 'belongs to managing the webhook' },
  'POST /v1/webhooks/deliveries/replay/{id}/cancel': {
    scope: 'webhooks:update',
    why: 'belongs to managing the webhook',
  },
};
/** What the answers of a list have beside its page, and why. */
const BESIDE_PAGES: Record<string, { properties: string[]; why: string }> = {
  'GET /v1/inboxes/{id}/templates': { properties: ['catalogue'], why: 'how old the copy is that the list shows' },
};
const ACTIONS = new Map([
  ['GET', 'read'],
  ['POST', 'create'],
  ['PUT', 'update'],
  ['PATCH', 'update'],
  ['DELETE', 'delete'],
]);

/** The kinds of records that ids name and that no operation or event shows, each with the reason. */
const NOT_SHOWN: Record<string, string> = {
  '*': 'stands for every kind',
  column: 'has no id: its key names it',
};

/** The resource that an operation is about: the first word of its path. Attachments are the only resource below `/v1/resource`. */
const findResource = (path: string): string => (path.split('/')[2] ?? '').replace(/^resource$/, 'attachments');

/** POSTs with a second success, and why. */
const TWO_SUCCESSES: Record<string, string> = {
  'POST /v1/conversations': '200 with the one that is open already',
  'POST /v1/messages/send-bulk-template': '200 with what would happen, for a dry run that creates nothing',
};

/** The operations that change no record. */
const UNLOGGED = [
  'POST /v1/notifications/read',
  'PUT /v1/notifications/active',
  'PUT /v1/push-subscriptions',
  'DELETE /v1/push-subscriptions/{id}',
  'POST /v1/connected-apps/preview',
  'POST /v1/auth/second-factor/begin',
  'POST /v1/auth/passkeys/begin',
  'POST /v1/auth/passkey',
  'POST /v1/auth/single-sign-on',
  'POST /v1/single-sign-on/test',
  'POST /v1/auth/forgot-password',
  'POST /v1/auth/read-link',
  'POST /v1/conversations/{id}/typing',
  'POST /v1/contacts/import/phone-numbers',
  'POST /v1/knowledge/search',
  'POST /v1/inboxes/{id}/check-numbers',
  'POST /v1/rules/dry-run',
  'POST /v1/agents/{id}/try',
  'POST /v1/agents/mcp-servers/{id}/check',
];

/** The POSTs that only find an answer, or that create no record, which is 200. */
const ASKING = [
  'POST /v1/auth/second-factor',
  'POST /v1/auth/second-factor/begin',
  'POST /v1/auth/second-factor/recovery-codes',
  'POST /v1/auth/second-factor/disable',
  'POST /v1/auth/passkeys',
  'POST /v1/auth/passkeys/begin',
  'POST /v1/auth/passkeys/{id}/remove',
  'POST /v1/single-sign-on/test',
  'POST /v1/notifications/read',
  'POST /v1/conversations/{id}/participants',
  'POST /v1/connected-apps/preview',
  'POST /v1/contacts/import/phone-numbers',
  'POST /v1/knowledge/search',
  'POST /v1/inboxes/{id}/check-numbers',
  'POST /v1/rules/dry-run',
  'POST /v1/conversations/{id}/draft',
  'POST /v1/conversations/{id}/rewrite',
  'POST /v1/conversations/{id}/summarize',
  'POST /v1/messages/{id}/translate',
  'POST /v1/agents/{id}/try',
  'POST /v1/agents/mcp-servers/{id}/check',
];

/** The POSTs that answer 201 and cannot be repeated with an Idempotency-Key, each with the reason. */
const UNREPEATABLE: Record<string, string> = {
  'POST /v1/inboxes/{id}/connect-link': 'links are not stored, and each is for one log-in',
  'POST /v1/conversations/{id}/typing': 'stores nothing, and said twice it is the same',
};

describe('the OpenAPI document', () => {
  test('the document is OpenAPI 3.1 of an API whose version is 1.0', () => {
    assert.match(document.openapi, /^3\.1\.\d+$/);
    assert.equal(document.info.version, '1.0');
    assert.ok(document.info.title && document.info.license.name);
    assert.deepEqual(document.components.securitySchemes.bearer, {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
    });
    assert.equal(document.servers.length, 1);
    for (const [path, item] of Object.entries<Json>(document.paths)) {
      assert.match(path, /^\/v1\//, path);
      for (const method of Object.keys(item)) assert.ok(METHODS.includes(method), `${method} ${path}`);
    }
  });

  test('every reference of the document leads to a schema in it, and every schema is used', () => {
    const references = new Set<string>();
    walk(document, (node) => typeof node['$ref'] === 'string' && references.add(node['$ref']));
    const defined = ['schemas', 'headers', 'examples'].flatMap((kind) =>
      Object.keys(document.components[kind]).map((name) => `#/components/${kind}/${name}`),
    );
    assert.ok(defined.length > 5);
    assert.deepEqual([...references].toSorted(), defined.toSorted());
  });

  test('the document is valid JSON Schema 2020-12, without leftovers of OpenAPI 3.0', () => {
    walk(document, (node, path) => {
      // Examples are skipped, because they are not schemas.
      if (/\/examples?\b/.test(path)) return;
      assert.ok(!('nullable' in node) || typeof node['nullable'] !== 'boolean', `${path} says nullable`);
      assert.ok(typeof node['exclusiveMinimum'] !== 'boolean', path);
      const types = [node['type']].flat().filter((type) => typeof type === 'string');
      if (!path.includes('securitySchemes') && !path.endsWith('properties')) {
        for (const type of types) assert.match(type, /^(string|number|integer|boolean|object|array|null)$/, path);
      }
      if (node['type'] === 'array') assert.ok('items' in node, `${path} is a list of what?`);
      if (Array.isArray(node['required']) && node['properties']) {
        for (const name of node['required'])
          assert.ok(name in (node['properties'] as object), `${path} requires ${name}`);
      }
    });
  });
});

test('every documented operation is served, and every route under /v1 is documented', async () => {
  const described = operations.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, ':')}`);
  // Two operations may name the same part of their paths differently; the router then shows `:id|:tableId`.
  const served = (await servedRoutes()).map((route) => route.replaceAll(/:\w+(\|:\w+)*/g, ':')).toSorted();
  assert.deepEqual(
    served.filter((route) => route.includes(' /v1/')),
    described.toSorted(),
  );
  // A route outside the API must be listed here, so that none is added by accident.
  const others = new Set(served.filter((route) => !/ \/(v1|docs)\b/.test(route)));
  const known = [
    'GET /',
    // What clients of Evolution API call, which docs/evolution.md describes.
    ...['DELETE', 'GET', 'PATCH', 'POST', 'PUT'].map((method) => `${method} /evolution/*`),
    'GET /evolution',
    'GET /evolution/',
    // How apps connect by OAuth, which docs/mcp.md describes.
    'GET /.well-known/oauth-authorization-server',
    'GET /.well-known/oauth-protected-resource/mcp',
    'POST /oauth/register',
    'POST /oauth/revoke',
    'POST /oauth/token',
    'GET /console',
    'GET /console*',
    'GET /files/:/:',
    'GET /files/:/:/:',
    'GET /health/live',
    'GET /health/ready',
    'GET /hooks/wap',
    'GET /metrics',
    // The list of the guides for language models.
    'GET /llms.txt',
    'GET /openapi.json',
    'GET /set-password',
    'GET /set-password/icon.svg',
    'GET /set-password/page.css',
    'GET /set-password/page.js',
    'GET /set-password/texts.js',
    // How contacts rate a conversation, which docs/csat.md describes.
    'GET /csat/:',
    'GET /csat/page.css',
    'POST /csat/:',
    // How recipients of mails unsubscribe, which docs/email.md describes.
    'GET /unsubscribe/:',
    'GET /unsubscribe/page.css',
    // What visitors of a web chat call, which docs/web-chat.md describes.
    'GET /web/v1/inboxes/:',
    'GET /web/v1/inboxes/:/live',
    'GET /web/v1/inboxes/:/messages',
    // The page of the chat and the script by which sites show it.
    'GET /widget',
    'GET /widget*',
    'GET /widget.js',
    'POST /hooks/email/:',
    'POST /hooks/network',
    'POST /hooks/network/connected',
    'POST /hooks/partner/:',
    'POST /hooks/wap',
    'POST /mcp',
    'POST /unsubscribe/:',
    'POST /web/v1/inboxes/:/files',
    'POST /web/v1/inboxes/:/messages',
    'POST /web/v1/inboxes/:/receipts',
    'POST /web/v1/inboxes/:/session',
    'POST /web/v1/inboxes/:/typing',
  ];
  assert.deepEqual([...others], known.toSorted());
});

describe('every operation', () => {
  test('every operation has one tag, which the document describes: the first word of its path, as integrators spell it', () => {
    const described = document.tags.map((tag: Json) => tag.name);
    for (const { name, path, spec } of operations) {
      const resource = findResource(path);
      assert.deepEqual(spec.tags, [resource === 'webhooks' ? 'Webhooks' : resource], name);
      assert.ok(described.includes(spec.tags[0]), `${name}: the tag ${spec.tags[0]} is not described`);
    }
    for (const tag of described)
      assert.ok(
        operations.some(({ spec }) => spec.tags[0] === tag),
        `${tag} has no operation`,
      );
  });

  test('every id states which kinds of records it names, and each kind is shown by an operation or event or has an exception here', () => {
    const [named, shown] = [new Set<string>(), new Set(Object.keys(NOT_SHOWN))];
    walk(document, (node, path) => {
      const kinds = node[RECORDS_KEYWORD] as string[] | undefined;
      if (node['pattern'] === ID_PATTERN) assert.ok(kinds && kinds.length > 0, `${path} is the id of what?`);
      for (const kind of kinds ?? []) named.add(kind);
      if (path.endsWith('/properties/_id')) for (const kind of kinds ?? []) shown.add(kind);
    });
    assert.ok(named.size > Object.keys(NOT_SHOWN).length);
    assert.deepEqual(
      [...named].filter((kind) => !shown.has(kind)),
      [],
    );
    assert.deepEqual(
      Object.keys(NOT_SHOWN).filter((kind) => !named.has(kind)),
      [],
    );
  });

  test('an operation that writes states its name in the audit, and one that disposes of a record the place of its id', () => {
    for (const { name, method, path, spec } of operations) {
      const isLogged = method !== 'GET' && !UNLOGGED.includes(name);
      assert.equal('x-audit-action' in spec, isLogged, name);
      if (method === 'DELETE' && path.endsWith('}')) assert.ok(path.endsWith(`{${spec['x-disposes']}}`), name);
    }
  });

  test('every operation has a summary, and a unique operationId from which generators can make a name', () => {
    const ids = operations.map(({ spec }) => spec.operationId);
    for (const id of ids) assert.match(id, /^[a-z][A-Za-z]+$/);
    assert.equal(new Set(ids).size, ids.length);
    for (const { name, spec } of operations) assert.ok(spec.summary?.length > 3, name);
  });

  test('every operation has a sentence of description besides its scope', () => {
    for (const { name, spec } of operations) {
      const said = String(spec.description ?? '').replace(
        /(\n\n)?Requires the scope `[\w:-]+`( and a global key)?\.( Also requires [^\n]+\.)?$/,
        '',
      );
      assert.match(said, /^.{20,}\.$/s, name);
    }
  });

  test('every operation requires a bearer token with the scope of its records and method and accepts x-company-id, or has an exception here', () => {
    const open = operations.filter(({ secured }) => !secured);
    assert.deepEqual(open.map(({ name }) => name).toSorted(), Object.keys(PUBLIC).toSorted());
    for (const operation of open) {
      assert.deepEqual(operation.spec.security, [], operation.name);
      assert.equal(findHeader(operation, 'x-company-id'), undefined, operation.name);
    }
    for (const operation of operations.filter(({ secured }) => secured)) {
      const { name, method, path, spec } = operation;
      const scope = name in OTHER_SCOPES ? OTHER_SCOPES[name]?.scope : `${findResource(path)}:${ACTIONS.get(method)}`;
      assert.equal(spec['x-scope'], scope, name);
      assert.deepEqual(spec.security, [{ bearer: scope === undefined ? [] : [scope] }], name);
      const needed = (spec['x-needs'] ?? []).flatMap(({ scopes }: Json) => scopes);
      for (const each of [scope ?? [], needed].flat()) assert.ok(spec.description.includes(`\`${each}\``), name);
      const header = findHeader(operation, 'x-company-id');
      assert.deepEqual([header?.required ?? false, header?.schema.type], [false, 'string'], name);
    }
  });

  test('every resource whose scopes a key can have has an operation', () => {
    const asked = operations.map(({ spec }) => `${String(spec['x-scope']).split(':')[0]}:*`);
    const resources = GRANTABLE.filter((scope) => scope.endsWith(':*'));
    assert.deepEqual(resources.toSorted(), [...new Set(asked)].filter((scope) => scope !== 'undefined:*').toSorted());
  });

  test('a POST that creates or sends accepts an Idempotency-Key and documents 409 and 422, or has an exception here; other operations do not', () => {
    const makers = operations.filter(({ spec }) => '201' in spec.responses);
    assert.ok(makers.length >= 8);
    for (const name of Object.keys(UNREPEATABLE))
      assert.ok(
        makers.some((maker) => maker.name === name),
        name,
      );
    for (const operation of operations) {
      const { name, spec } = operation;
      const header = findHeader(operation, 'idempotency-key');
      assert.equal(header !== undefined, makers.includes(operation) && !(name in UNREPEATABLE), name);
      if (!header) continue;
      const { type, minLength, maxLength } = header.schema;
      assert.deepEqual([header.required ?? false, type, minLength, maxLength], [false, 'string', 1, 255], name);
      assert.match(spec.responses['409']?.description, /\bIDEMPOTENCY_IN_FLIGHT\b/, name);
      assert.match(spec.responses['422']?.description, /\bIDEMPOTENCY_KEY_REUSED\b/, name);
    }
  });

  test('operations on rows name the table in their path tableId, as integrators already do', () => {
    const names = operations.map(({ path }) => path).filter((path) => path.includes('/rows'));
    assert.equal(names.length, 4);
    for (const path of names) assert.match(path, /^\/v1\/tables\/\{tableId\}\/rows(\/\{rowId\})?$/);
  });

  test('every operation declares exactly the parts of its path, as required parameters', () => {
    for (const { name, path, parameters } of operations) {
      const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, part]) => part);
      const named = parameters.filter((parameter) => parameter.in === 'path');
      assert.deepEqual(
        named.map((parameter) => parameter.name),
        parts,
        name,
      );
      for (const parameter of named) assert.equal(parameter.required, true, name);
    }
  });

  test('every operation has one success with a schema: 201 for a POST that creates, 200 for all others', () => {
    for (const { name, method, spec, secured } of operations) {
      const successes = Object.keys(spec.responses).filter((status) => status.startsWith('2'));
      // An operation without a token creates no record either, so its POST answers 200.
      const made = method === 'POST' && secured && !ASKING.includes(name) ? ['201'] : ['200'];
      assert.deepEqual(successes, name in TWO_SUCCESSES ? ['200', '201'] : made, name);
      for (const status of successes) {
        const { content } = spec.responses[status];
        // An export is a file and the live stream has no end; every other answer is a record.
        assert.ok((content['application/json'] ?? Object.values<Json>(content)[0]).schema, name);
        assert.ok(spec.responses[status].description !== undefined, name);
      }
    }
  });

  test('every operation answers errors with a problem, and documents their codes', () => {
    for (const { name, spec, secured } of operations) {
      const failures = Object.entries<Json>(spec.responses).filter(([status]) => /^[45]/.test(status));
      for (const status of [
        '400',
        '429',
        '500',
        '503',
        ...(secured ? ['401', '404'] : []),
        ...(spec['x-scope'] ? ['403'] : []),
      ])
        assert.ok(status in spec.responses, `${name}: ${status}`);
      for (const [status, answer] of failures) {
        const codes: string[] = answer.description.split(', ');
        const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
        const expected = { schema: { $ref: '#/components/schemas/Problem' }, examples };
        assert.deepEqual(answer.content, { 'application/problem+json': expected }, `${name}: ${status}`);
        for (const code of codes)
          assert.equal(ERRORS[code as keyof typeof ERRORS]?.status, Number(status), `${name}: ${code}`);
      }
    }
  });

  test('an operation without a token never documents a refused token or a missing permission: its only 401 is a wrong password', () => {
    for (const { name, spec } of operations.filter(({ secured }) => !secured)) {
      // A browser's session is refused to pages of other origins, and only an existing one can be ended.
      const { path, method } = operations.find((operation) => operation.name === name) ?? { path: '', method: '' };
      const takesPassword = path === '/v1/auth/session' || path === '/v1/auth/login';
      const takesProof = ['passkey', 'single-sign-on'].some((way) => path === `/v1/auth/session/${way}`);
      const begins = path === '/v1/auth/passkey' || path === '/v1/auth/single-sign-on';
      const opensSession = path.startsWith('/v1/auth/session') && method === 'POST';
      const refuses = opensSession || begins || path === '/v1/auth/login';
      assert.ok('403' in spec.responses === refuses && !('404' in spec.responses), name);
      assert.equal('401' in spec.responses, takesPassword || takesProof, name);
    }
  });

  test('an operation with a body requires it, refuses unknown properties, and documents that a body can be too large or of a wrong type', () => {
    const bodies = operations.filter(({ spec }) => spec.requestBody);
    assert.ok(bodies.length >= 4);
    for (const { name, spec } of bodies) {
      assert.equal(spec.requestBody.required, true, name);
      const { 'application/json': json, 'multipart/form-data': form } = spec.requestBody.content;
      assert.equal(resolved((json ?? form).schema).additionalProperties, false, name);
      if (form)
        assert.ok(
          Object.values<Json>(form.schema.properties).some(({ format }) => format === 'binary'),
          name,
        );
      for (const status of ['413', '415']) assert.ok(status in spec.responses, `${name}: ${status}`);
    }
  });

  test('all lists take the same parameters and answer with the same page', () => {
    const lists = operations.filter(({ parameters }) => parameters.some((parameter) => parameter.name === 'page'));
    assert.ok(lists.length >= 3);
    for (const { name, spec, parameters } of lists) {
      const names = parameters.map((parameter) => parameter.name);
      for (const wanted of ['page', 'limit', 'skipCount', 'sort', 'after'])
        assert.ok(names.includes(wanted), `${name}: ${wanted}`);
      const limit = parameters.find((parameter) => parameter.name === 'limit').schema;
      assert.deepEqual([limit.minimum, limit.maximum, limit.default], [1, 100, 20], name);
      const shown = resolved(spec.responses['200'].content['application/json'].schema).properties;
      // When the answer is a record that contains a list, such as a table with its rows, the page is the property `rows`.
      const { properties } = shown.rows ? resolved(shown.rows) : { properties: shown };
      assert.deepEqual(Object.keys(properties), ['result', 'meta', ...(BESIDE_PAGES[name]?.properties ?? [])], name);
      const meta = ['page', 'limit', 'totalCount', 'totalPages', 'hasNextPage', 'nextCursor'];
      assert.deepEqual(Object.keys(properties.meta.properties), meta, name);
    }
  });
});

describe('the reference page', () => {
  test('the reference page and everything that it loads come from this server, and its content policy allows them', async () => {
    const page = await fetch(`${platform.url}/docs/api`);
    assert.equal(page.status, 200);
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /https?:|\*|unsafe/);
    const html = await page.text();
    const assets = [...html.matchAll(/<(?:script|link|img)[^>]*?(?:src|href)="([^"]+)"/g)].map(
      ([, address = '']) => address,
    );
    assert.ok(assets.length >= 4, assets.join());
    for (const address of assets) {
      const asset = new URL(address, page.url);
      assert.equal(asset.origin, platform.url);
      const answer = await fetch(asset);
      assert.equal(answer.status, 200, address);
      await answer.arrayBuffer();
    }
    // The content policy of the page would block inline scripts.
    const inline = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([^<]+)<\/script>/g)];
    assert.deepEqual(inline, []);
    assert.ok(!/(?:src|href)="(?:https?:)?\/\//.test(html));
  });

  test('the reference lists every operation, and has each on the page of its tag, with every schema that it links to', async () => {
    const read = async (path: string): Promise<string> => (await fetch(platform.url + path)).text();
    const list = await read('/docs/api');
    for (const { name, spec } of operations) {
      const page = `api/${String(spec.tags[0]).toLowerCase()}`;
      assert.ok(list.includes(`href="${page}#${spec.operationId}"`), name);
    }
    for (const { name } of document.tags) {
      const html = await read(`/docs/api/${String(name).toLowerCase()}`);
      const ids = new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));
      for (const { spec } of operations.filter((each) => each.spec.tags[0] === name))
        assert.ok(ids.has(spec.operationId), spec.operationId);
      for (const [, id = ''] of html.matchAll(/href="#([^"]+)"/g)) assert.ok(ids.has(id), `${name} #${id}`);
      assert.doesNotMatch(html, /\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|undefined|\[object/, name);
    }
  });
});

const resolved = (schema: Json): Json =>
  schema.$ref ? document.components.schemas[String(schema.$ref).split('/').at(-1) ?? ''] : schema;

/** Visits every object in a JSON value, with its path. */
function walk(node: Json, visit: (node: Record<string, unknown>, path: string) => void, path = '#'): void {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) visit(node, path);
  for (const [key, value] of Object.entries(node)) walk(value, visit, `${path}/${key}`);
}

/** The served routes, like `GET /v1/inboxes/:id`, from the router's printed tree, in which a level is four characters deep. */
async function servedRoutes(): Promise<string[]> {
  const app = await buildApi(platform.running.kit, PLACEHOLDER_HEALTH);
  await app.ready();
  const tree = app.printRoutes({ commonPrefix: false });
  await app.close();
  const above: string[] = [];
  const routes: string[] = [];
  for (const line of tree.split('\n')) {
    const [, indent = '', part = '', methods = ''] = /^([│ ]*)[├└]── (\S+) \(([A-Z, ]+)\)$/.exec(line) ?? [];
    const depth = indent.length / 4;
    above[depth] = (above[depth - 1] ?? '') + part;
    for (const method of methods.split(', ')) {
      if (method && method !== 'HEAD') routes.push(`${method} ${above[depth]}`);
    }
  }
  return routes.toSorted();
}
