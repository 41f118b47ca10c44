import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { findViolations } from './check-imports.ts';
import { ROOMS } from './rooms.ts';

/** Returns the violations that the check finds in a file with this path and text. */
function breaches(path: string, text: string): string[] {
  return findViolations([{ path, text }]).map(({ line, sentence }) => `${line}: ${sentence}`);
}

const imports = (address: string, name = 'x') => `import { ${name} } from '${address}';\n`;
const importsType = (address: string, name = 'X') => `import type { ${name} } from '${address}';\n`;

interface Law {
  title: string;
  path: string;
  broken: string[];
  kept?: string[];
}

const ARROWS: Law[] = [
  {
    title: 'platform imports no feature, channel, ai, api or worker',
    path: 'src/platform/http/http.ts',
    broken: [
      imports('../../features/contacts/contacts.ts'),
      imports('../../channels/channel.ts'),
      imports('../../ai/model.ts'),
      imports('../../api.ts'),
      imports('../../worker.ts'),
      imports('../../config.ts'),
      `export { x } from '../../features/contacts/contacts.ts';`,
      `export * from '../../channels/registry.ts';`,
      `type X = import('../../features/contacts/contacts.ts').X;`,
      `const x = await import('../../features/contacts/contacts.ts');`,
    ],
    kept: [imports('./db.ts'), importsType('../../config.ts'), imports('fastify')],
  },
  {
    title: 'a channel imports only the platform, the port and its own folder',
    path: 'src/channels/email/send.ts',
    broken: [
      imports('../web-v2/parse.ts'),
      imports('../registry.ts'),
      imports('../../features/inboxes/inboxes.ts'),
      importsType('../../config.ts'),
    ],
    kept: [imports('./config.ts'), imports('../channel.ts'), imports('../../platform/outside/outbound.ts')],
  },
  {
    title: 'the registry imports the channels, and the port imports none of them',
    path: 'src/channels/channel.ts',
    broken: [imports('./registry.ts'), imports('./email/index.ts')],
    kept: [imports('../platform/outside/outbound.ts')],
  },
  {
    title: 'ai imports only the platform',
    path: 'src/ai/model.ts',
    broken: [imports('../features/agents/agents.ts'), imports('../channels/channel.ts')],
    kept: [imports('./budget.ts'), imports('../platform/outside/outbound.ts')],
  },
  {
    title: 'a room imports only rooms listed before it',
    path: 'src/features/contacts/contacts.ts',
    broken: [imports('../conversations/conversations.ts'), importsType('../webhooks/schemas.ts')],
    kept: [imports('../inboxes/inboxes.ts'), imports('../inboxes/schemas.ts'), imports('../../channels/registry.ts')],
  },
  {
    title:
      'operations reach another room through its operations and schemas, never through its queries, events or jobs',
    path: 'src/features/messages/messages.ts',
    broken: [
      imports('../contacts/queries.ts'),
      imports('../contacts/events.ts'),
      imports('../contacts/jobs.ts'),
      imports('./routes.ts'),
      imports('../../channels/email/send.ts'),
      imports('../../kit.ts'),
    ],
    kept: [
      imports('./queries.ts'),
      imports('./events.ts'),
      imports('./jobs.ts'),
      imports('./send-text.ts'),
      imports('../../ai/model.ts'),
      importsType('../../kit.ts'),
    ],
  },
  {
    title: "queries import only the platform and their own schemas, and types of earlier rooms' schemas",
    path: 'src/features/messages/ingest-queries.ts',
    broken: [
      imports('./messages.ts'),
      imports('../contacts/schemas.ts'),
      importsType('../contacts/contacts.ts'),
      imports('../../channels/channel.ts'),
    ],
    kept: [imports('./schemas.ts'), importsType('../contacts/schemas.ts'), imports('../../platform/store/db.ts')],
  },
  {
    title: 'schemas import only the platform, the channel port, the registry and schemas of earlier rooms',
    path: 'src/features/messages/schemas.ts',
    broken: [
      imports('./messages.ts'),
      imports('./queries.ts'),
      imports('../contacts/contacts.ts'),
      imports('../../channels/email/settings.ts'),
    ],
    kept: [
      imports('../contacts/schemas.ts'),
      imports('../../channels/channel.ts'),
      imports('../../channels/registry.ts'),
      imports('../../platform/values/schema.ts'),
    ],
  },
  {
    title: 'events import what schemas may import, and operations of their own room',
    path: 'src/features/messages/events.ts',
    broken: [imports('./queries.ts'), imports('./routes.ts'), imports('../contacts/contacts.ts')],
    kept: [imports('./messages.ts'), imports('./schemas.ts'), imports('../contacts/schemas.ts')],
  },
  {
    title: 'routes never import queries, nor operations of another room',
    path: 'src/features/messages/routes.ts',
    broken: [imports('./queries.ts'), importsType('./queries.ts'), imports('../contacts/contacts.ts')],
    kept: [imports('./messages.ts'), imports('./schemas.ts'), imports('../contacts/schemas.ts')],
  },
  {
    title: 'jobs call operations and run no query of their own, even for a job that an earlier room enqueues',
    path: 'src/features/messages/jobs.ts',
    broken: [
      imports('./queries.ts'),
      imports('./routes.ts'),
      imports('../contacts/contacts.ts'),
      imports('../webhooks/jobs.ts'),
    ],
    kept: [
      imports('./messages.ts'),
      imports('./schemas.ts'),
      imports('./events.ts'),
      imports('../contacts/jobs.ts'),
      importsType('../../kit.ts'),
    ],
  },
  {
    title: 'only api imports routes',
    path: 'src/worker.ts',
    broken: [imports('./features/contacts/routes.ts'), imports('./features/contacts/queries.ts')],
    kept: [imports('./features/contacts/jobs.ts'), imports('./features/webhooks/deliver.ts')],
  },
  {
    title: 'outside their room only worker and the jobs of later rooms import jobs',
    path: 'src/api.ts',
    broken: [imports('./features/contacts/jobs.ts'), imports('./features/contacts/queries.ts'), imports('./main.ts')],
    kept: [imports('./features/contacts/routes.ts'), imports('./config.ts')],
  },
  {
    title: 'nothing under src imports sandbox, test, web, scripts or bench',
    path: 'src/main.ts',
    broken: ['sandbox/main.ts', 'test/support/server.ts', 'web/chat.ts', 'scripts/rooms.ts', 'bench/run.ts'].map(
      (path) => imports(`../${path}`),
    ),
    kept: [imports('./boot/run.ts'), imports('./config.ts')],
  },
  {
    title: 'the sandbox and its tests import nothing of src',
    path: 'sandbox/sandbox.test.ts',
    broken: [imports('../src/platform/values/ids.ts'), importsType('../src/channels/channel.ts')],
    kept: [imports('./state.ts'), imports('node:http', 'request')],
  },
  {
    title: 'a computed import() is reported, because the law cannot see its address',
    path: 'src/platform/store/db.ts',
    broken: ['const name = "./x.ts"; const x = await import(name);'],
  },
  { title: 'a room that is not listed is reported', path: 'src/features/invoices/schemas.ts', broken: [''] },
  { title: 'a file outside the layout is reported', path: 'src/services/mail.ts', broken: [''] },
];

const DOORS: Law[] = [
  {
    title: 'only main reads settings',
    path: 'src/features/messages/messages.ts',
    broken: [
      'const home = process.env.HOME;',
      'const { env } = process;',
      'const env = globalThis.process.env;',
      `import { env } from 'node:process';`,
    ],
    kept: ['job.process();', 'const queue = { process: 1 };'],
  },
  {
    title: 'a listed platform file may use the process, but not read settings from it',
    path: 'src/platform/work/telemetry.ts',
    broken: ['const home = process.env.HOME;', `import { env } from 'node:process';`],
    kept: ['const used = process.memoryUsage();', `import process from 'node:process';`],
  },
  {
    title: 'only outbound.ts makes outgoing calls',
    path: 'src/platform/outside/webhooks.ts',
    broken: [
      imports('undici', 'request'),
      imports('node:http', 'request'),
      imports('node:https', 'Agent'),
      `import http from 'node:http';`,
      `await fetch('http://a');`,
      'const call = globalThis.fetch;',
    ],
    kept: [imports('node:http', 'createServer'), importsType('undici', 'Agent'), 'await outbound.fetch();'],
  },
  {
    title: 'only dial.ts opens connections',
    path: 'src/channels/email/imap.ts',
    broken: [
      imports('node:net', 'connect'),
      imports('net', 'createConnection'),
      imports('node:tls', 'connect'),
      `import tls from 'node:tls';`,
      `const net = await import('node:net');`,
    ],
    kept: [
      imports('node:net', 'isIP'),
      importsType('node:net', 'Socket'),
      'await outbound.connect(host, 993, options);',
    ],
  },
  {
    title: 'what a server of a company says is read in a child process only',
    path: 'src/channels/email/fetch.ts',
    broken: [
      imports('imapflow', 'ImapFlow'),
      `await import('imapflow');`,
      imports('./imap.ts'),
      imports('./mailbox-answers.ts'),
    ],
    kept: [importsType('imapflow', 'ImapFlow'), importsType('./imap.ts'), imports('./mailbox-calls.ts')],
  },
  {
    title: 'only the listed rooms may read rows of all companies',
    path: 'src/features/campaigns/campaigns.ts',
    broken: [
      importsType('../../platform/store/tenant.ts', 'SystemTx'),
      `import * as tenant from '../../platform/store/tenant.ts';`,
      'await deps.database.systemTx("upkeep", work);',
      'await database.system("upkeep").query(claim());',
    ],
    kept: [importsType('../../platform/store/tenant.ts', 'TenantTx')],
  },
  {
    title: 'only the platform opens database connections',
    path: 'src/features/contacts/contacts.ts',
    broken: [`import pg from 'pg';`, imports('pg-boss', 'PgBoss')],
    kept: [importsType('pg', 'Pool')],
  },
  {
    title: 'only schemas.ts makes schemas, and only jobs.ts makes jobs',
    path: 'src/features/contacts/list.ts',
    broken: [
      imports('typebox', 'Type'),
      imports('../../platform/values/schema.ts', 'strict'),
      imports('../../platform/store/paging.ts', 'pageSchema'),
      imports('../../platform/work/jobs.ts', 'defineJob'),
    ],
    kept: [
      importsType('typebox', 'Static'),
      imports('../../platform/values/schema.ts', 'ref'),
      imports('../../platform/store/paging.ts', 'pageFrom'),
      importsType('../../platform/work/jobs.ts', 'Worked'),
    ],
  },
  {
    title: 'only queries, the platform and migrations contain SQL',
    path: 'src/features/contacts/contacts.ts',
    broken: [
      'const sql = `select _id from contacts where name = ${name}`;',
      'const sql = "insert into contacts values ($1)";',
      'const sql = `\n  update contacts c\n  set name = $1`;',
      `const sql = 'delete from contacts';`,
      'const sql = `with hits as (select 1) select * from hits`;',
    ],
    kept: [
      `const summary = 'Update the contact; set what is given';`,
      `const summary = 'Select, insert and delete rows';`,
      `const name = 'delete';`,
      `const text = 'with care';`,
    ],
  },
];

for (const [name, laws] of Object.entries({ 'the import law': ARROWS, 'the doors': DOORS })) {
  suite(name, () => {
    for (const { title, path, broken, kept = [] } of laws) {
      test(title, () => {
        for (const text of broken) assert.equal(breaches(path, text).length, 1, `a breach: ${path}: ${text}`);
        for (const text of kept) assert.deepEqual(breaches(path, text), [], `lawful: ${path}: ${text}`);
      });
    }
  });
}

test('tests under src may import and use anything', () => {
  const text = imports('../../../test/support/server.ts') + 'await fetch(process.env.URL); const sql = `select 1`;';
  assert.deepEqual(breaches('src/features/contacts/contacts.test.ts', text), []);
});

test('only a file named schemas.ts may create schemas, and only one named jobs.ts may create jobs', () => {
  const schema = imports('typebox', 'Type');
  assert.deepEqual(
    breaches('src/features/contacts/schemas.ts', schema + imports('../../platform/values/schema.ts', 'define')),
    [],
  );
  assert.deepEqual(
    breaches('src/features/contacts/jobs.ts', schema + imports('../../platform/work/jobs.ts', 'defineJob')),
    [],
  );
});

test("queries may contain SQL, the listed files may read all companies' rows, and outbound.ts may call the network", () => {
  const system = importsType('../../platform/store/tenant.ts', 'SystemTx');
  assert.deepEqual(breaches('src/features/contacts/queries.ts', 'export const sql = `select 1`;'), []);
  assert.deepEqual(breaches('src/features/contacts/ingest-queries.ts', system + 'export const sql = `select 1`;'), []);
  assert.deepEqual(breaches('src/features/inbound/inbound.ts', system), []);
  assert.deepEqual(breaches('src/platform/outside/outbound.ts', imports('undici', 'Agent')), []);
  assert.deepEqual(breaches('src/main.ts', 'export const env = process.env;'), []);
});

test('each feature folder is listed once', () => {
  assert.equal(new Set(ROOMS).size, ROOMS.length);
});

test('a forbidden import is reported with file and line, and fails the check', () => {
  const { status, stdout, stderr } = runCheck({
    'src/platform/values/ids.ts': 'export const id = 1;\n',
    'src/platform/store/db.ts': `import { id } from '../values/ids.ts';\n\nimport { x } from '../../api.ts';\nexport default [id, x];\n`,
  });
  assert.match(
    stderr,
    /^src\/platform\/store\/db\.ts:3: imports \.\.\/\.\.\/api\.ts, but the platform knows no feature/m,
  );
  assert.match(stdout, /2 files checked/);
  assert.equal(status, 1);
});

test('a source tree without forbidden imports passes, and the number of checked files is reported', () => {
  const { status, stdout, stderr } = runCheck({ 'src/platform/values/ids.ts': 'export const id = 1;\n' });
  assert.equal(stderr, '');
  assert.match(stdout, /1 files checked/);
  assert.equal(status, 0);
});

test('a check that finds no file to check fails', () => {
  const { status, stderr } = runCheck({ 'src/notes.md': 'no program\n' });
  assert.match(stderr, /saw no file/);
  assert.equal(status, 1);
});

function runCheck(files: Record<string, string>) {
  const root = mkdtempSync(join(tmpdir(), 'import-law-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const script = join(import.meta.dirname, 'check-imports.ts');
    return spawnSync(process.execPath, [script, root], { encoding: 'utf8' });
  } finally {
    rmSync(root, { recursive: true });
  }
}
