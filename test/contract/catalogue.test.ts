/**
 * Checks the catalogue of the migrated database: every table of a company has the keys, policies and references that keep companies apart,
 * or is listed here with the reason for an exception.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { openTestDatabase } from '../support/database.ts';

/** The tables without a company, each with the reason. */
const WITHOUT_COMPANY: Record<string, string> = {
  companies: 'is the company: its _id is what others call company_id',
  callbacks_aside: 'of a callback that cannot be read nobody knows the company; readable by the system only',
  job_attempts: 'jobs of the whole installation; readable by the system only',
  oauth_clients: 'registers itself before anybody has logged in; readable by the system only',
  passkeys: 'of a person, like the password; readable by the system only',
  passkey_challenges: 'challenges that nobody can answer again; readable by the system only',
  people:
    'one password of a person, whatever companies have this person among their users; readable by the system only',
  platform_state: 'facts of the installation itself; readable by the system only',
  rate_buckets: 'counts addresses and accounts before anybody knows whose they are; readable by the system only',
  schema_migrations: 'what was migrated; readable, and written by the owner only',
  schema_objects: 'the functions and triggers of sql/; readable, and written by the owner only',
};

/** The tables whose primary key is not (company_id, _id), each with the reason. */
const OTHER_KEYS: Record<string, { key: string; why: string }> = {
  api_keys: {
    key: '_id',
    why: 'a global key has no company, and a key is found by its hash before a company is known',
  },
  contact_identities: { key: 'company_id,kind,value', why: 'the name itself is what must be unique under a race' },
  pending_turns: { key: 'company_id,conversation_id', why: 'one turn per conversation' },
  contact_activity: { key: 'company_id,record_id', why: 'one row beside each contact' },
  conversation_activity: { key: 'company_id,record_id', why: 'one row beside each conversation' },
  door_listeners: { key: 'company_id,event,webhook_id,form', why: 'a webhook gets an event under several names' },
  conversation_participants: { key: 'company_id,conversation_id,user_id', why: 'a user follows a conversation once' },
  conversation_slas: { key: 'company_id,conversation_id', why: 'one row beside each conversation' },
  team_members: { key: 'company_id,team_id,user_id', why: 'a user is in a team once' },
  notification_settings: { key: 'company_id,user_id,kind', why: 'one choice of each user for each kind' },
  event_listeners: { key: 'company_id,event', why: 'the one row that an emit looks up' },
  user_activity: { key: 'company_id,user_id', why: 'one row per user' },
  single_sign_on: { key: 'company_id', why: 'one provider per company' },
  single_sign_on_domains: { key: 'company_id,domain', why: 'a domain is named once' },
  browser_sessions: { key: 'token_hash', why: "a browser's cookie names no company: its hash is what it is found by" },
  network_files: { key: 'company_id,attachment_id,channel,address', why: 'one id for each place that has the file' },
  password_tokens: { key: 'token_hash', why: 'a mailed token names no company: its hash is what it is found by' },
  mailed_links: {
    key: '_id',
    why: 'who forgot a password speaks for no company: unique (company, address), nulls not distinct',
  },
  audit_log: { key: '_id', why: 'what concerns the installation itself has no company' },
  import_chunks: { key: 'company_id,import_id,position', why: 'parts of one import, in their order' },
  live_companies: { key: 'company_id', why: 'one row per company with a stream' },
  record_changes: { key: 'company_id,xid,seq', why: 'readers find them by their transaction' },
  company_usage: { key: 'company_id', why: 'one sum per company' },
  send_paces: { key: 'company_id,lane', why: 'one row per number or account' },
  send_pairs: { key: 'company_id,lane,person', why: 'one row per number and person' },
  portfolios: { key: 'company_id,channel,portfolio', why: "the network's own id of a business" },
  portfolio_people: {
    key: 'company_id,channel,portfolio,person',
    why: 'one row per person that a business has reached',
  },
  portfolio_minutes: { key: 'company_id,channel,portfolio,minute', why: 'one sum per minute' },
  message_activity: { key: 'company_id,updated_at,_id', why: 'the order of the list is its only other index' },
  message_keys: { key: 'company_id,key', why: 'an id of the network names one message of an inbox' },
  inbox_acceptances: {
    key: 'company_id,inbox_id,at,session',
    why: 'sessions that write in the same moment do not wait for each other',
  },
  message_places: { key: 'company_id,message_id', why: 'a message takes one place at most' },
  message_parts: { key: 'company_id,starts_at', why: 'parts of the messages of a company, in their order' },
  campaign_files: { key: 'company_id,campaign_id,attachment_id', why: 'several steps may show the same file' },
  message_cards: { key: 'company_id,message_id,attachment_id', why: 'several cards may show the same file' },
  campaign_sends: { key: 'company_id,enrollment_id,step', why: 'one message for each step of an enrollment' },
  campaign_counters: { key: 'company_id,campaign_id,scope,name', why: 'one sum for each counter of a campaign' },
  message_aliases: { key: 'company_id,inbox_id,alias', why: 'an id of the network names one message of an inbox' },
  inbox_fetches: { key: 'company_id,inbox_id', why: 'one row for each inbox that is fetched' },
  template_removals: { key: 'company_id,catalogue_id,name', why: 'one row for each removed name of a catalogue' },
  knowledge_chunks: { key: 'company_id,item_id,revision,position', why: 'the passages of one item, in their order' },
  knowledge_vectors: {
    key: 'company_id,item_id,revision,model,first_position',
    why: 'the vectors of one item, in the order of its passages',
  },
  knowledge_synonyms: { key: 'company_id', why: 'one row per company' },
  assist_settings: { key: 'company_id', why: 'one row per company' },
  knowledge_libraries: { key: 'company_id', why: 'one row per company' },
  agent_knowledge: { key: 'company_id,agent_id,item_id', why: 'an agent is limited to an item once' },
  agent_mcp_servers: { key: 'company_id,agent_id,server_id', why: 'an agent calls a server once' },
  agent_tables: { key: 'company_id,agent_id,table_id', why: 'an agent reads a table once' },
  agent_conversation_budgets: {
    key: 'company_id,conversation_id,day',
    why: 'the tokens of a conversation on a day are one number',
  },
  report_counters: {
    key: 'company_id,dimension,subject,kind,grain,at,currency,bucket',
    why: 'one sum for each of them',
  },
  agent_budgets: { key: 'company_id,day', why: 'the tokens of a day are one number' },
  bulk_rows: { key: 'company_id,run_id,row', why: 'the contacts of one run, in their order' },
  attachment_copies: { key: 'company_id,attachment_id,kind', why: 'one copy of each kind' },
  delivery_queue: { key: 'company_id,seq', why: 'the deliveries that wait, in their order' },
  delivery_attempts: { key: 'company_id,delivery_id', why: 'one attempt of each delivery' },
  media_downloads: { key: 'company_id,attachment_id', why: 'one download for each file that a contact has sent' },
  media_failures: { key: 'company_id,inbox_id', why: 'the last failures of each number' },
  import_errors: { key: 'company_id,import_id,position', why: 'parts of one import, in their order' },
  idempotency_keys: {
    key: 'attempt',
    why: 'a key of an operation on companies has none: unique (company, principal, key), nulls not distinct',
  },
};

/** The policies that a table has beside the usual three, each with the reason. */
const OTHER_POLICIES: Record<string, { start: string; why: string }> = {
  stored_changes: {
    start: 'counting INSERT {public} (CURRENT_USER = ( SELECT pg_get_userbyid(pg_class.relowner)',
    why: 'a foreign key that cascades removes records as the owner of the tables, and they are counted then, too',
  },
  report_facts: {
    start: 'counting INSERT {public} (CURRENT_USER = ( SELECT pg_get_userbyid(pg_class.relowner)',
    why: 'a foreign key that cascades removes conversations as the owner of the tables, and that is counted, too',
  },
  campaign_changes: {
    start: 'counting INSERT {public} (CURRENT_USER = ( SELECT pg_get_userbyid(pg_class.relowner)',
    why: 'a foreign key takes an erased contact out of its enrollments as the owner of the tables, and that is counted, too',
  },
};

/** What belongs to an inbox and has no policy of its own for users who do not see the inbox, each with the reason. */
const WITHOUT_MEMBERS: Record<string, string> = {
  ...Object.fromEntries(
    ['agent_conversation_budgets', 'away_texts', 'conversation_slas', 'pending_turns', 'rule_events', 'sla_turns'].map(
      (table) => [table, 'read with its conversation, which has a policy'],
    ),
  ),
  ...Object.fromEntries(
    ['media_downloads', 'message_aliases', 'message_cards', 'message_keys', 'message_places'].map((table) => [
      table,
      'read with its message, which has a policy',
    ]),
  ),
  conversation_activity: 'lists would pay for a policy; the statements that count it join the conversations',
  bulk_rows: 'read with its run, which has a policy',
  campaign_sends: 'read with its enrollment, which has a policy',
  ...Object.fromEntries(
    ['inbox_acceptances', 'inbox_fetches', 'media_failures', 'parked_updates'].map((table) => [
      table,
      'read with its inbox, which has a policy, or by background work',
    ]),
  ),
  ...Object.fromEntries(
    ['message_activity', 'message_search'].map((table) => [
      table,
      'a policy would keep the search from its index; the statements name the inboxes, and the messages have a policy',
    ]),
  ),
  door_listeners: 'read by those who manage webhooks, who see all inboxes',
  door_webhooks: 'read by those who manage webhooks, who see all inboxes',
};

/** The tables whose company is not referenced, each with the reason. */
const WITHOUT_COMPANY_REFERENCE: Record<string, string> = {
  message_activity:
    'written and removed together with its message, by triggers; a reference would be checked for each status',
  messages: 'written with its conversation, which is referenced; it would be checked for each message',
  message_keys: 'written with its message, and removed by a trigger; a reference would be checked for each message',
  inbox_acceptances:
    'written together with a message, by triggers; a reference would be checked for each accepted message',
  delivery_queue: 'written with its delivery',
  delivery_attempts: 'moved here from delivery_queue by the claim',
  deliveries:
    'written for a webhook that is read in the same statement; a reference would lock companies for each new partition',
  audit_log: 'written with the company of the caller; a reference would lock companies for each new partition',
};

/** The columns that hold an id and have no foreign key, each with the reason. */
const WITHOUT_REFERENCE: Record<string, string> = {
  'single_sign_on.client_id': 'with which name the platform is known to the provider',
  'connected_apps.client_id': 'says which client it is, which may have no row or be gone',
  'contact_notes.author_id': 'a user, a key or an agent; says who it was, also when they are gone',
  'contacts.external_id': "an integrator's id",
  'conversations.campaign_id': 'says which campaign wrote into it, also when the campaign is gone',
  'conversations.enrollment_id': 'says which enrollment it belongs to, also when the campaign is gone',
  'conversations.last_message_id': 'a circle with messages: shown by a join that names the company',
  'inbox_acceptances.inbox_id': 'written with a message of the inbox, by a trigger',
  'message_activity.inbox_id': 'written and removed together with its message, by triggers',
  'message_keys.message_id': 'written with its message, and removed by a trigger',
  'message_search.inbox_id': 'written and removed together with its message, by triggers',
  'messages.inbox_id': "its conversation's, which is referenced; it would be checked for each message",
  'messages.contact_id': "its conversation's, which is referenced and moved together with it",
  'messages.campaign_id': 'says which campaign sent it, also when the campaign is gone',
  'messages.enrollment_id': 'says for which enrollment it was sent, also when the campaign is gone',
  'messages.agent_id': 'says who wrote it, also when the agent is gone',
  'messages.sender_id': 'a user, a key or a contact; says who wrote it, also when they are gone',
  'messages.external_id': "the network's id",
  'parked_updates.external_id': "the network's id",
  'templates.network_id': "the network's id",
  'network_files.network_id': "the network's id",
  'media_downloads.network_id': "the network's id",
  'conversation_slas.policy_id': 'a removed policy has no effect, and its clocks are removed when they are due',
  'pending_turns.first_message_id': 'the oldest message that waits; the conversation that holds it is referenced',
  'pending_turns.message_id': 'the newest message; the conversation that holds it is referenced',
  'agent_turns.asked_id': 'a message of the conversation, with which the turn goes',
  'follow_ups.message_id': 'a message of the conversation, with which the follow-up goes',
  'rule_events.message_id': 'a message of the conversation, with which the event goes',
  'rule_runs.message_id': 'a message of the conversation, with which the run goes',
  'rule_events.rule_id': 'a rule that is removed meanwhile does not look at the event',
  'rule_runs.rule_id': 'runs of a removed rule, which nobody sees, go with the old ones',
  'rule_runs.event_id': 'the event is deleted once all rules have looked at it',
  'rule_runs.scheduled_id': 'a scheduled message of the conversation, which is deleted sooner',
  'csat_surveys.inbox_id': 'the inbox of its conversation, with which it goes',
  'csat_surveys.message_id': 'a message of the conversation, with which the survey goes',
  'away_texts.message_id': 'a message of the conversation, with which the away text goes',
  'scheduled_messages.message_id': 'a message of the conversation, with which the scheduled message goes',
  'agent_turns.message_id': 'a message of the conversation, with which the turn goes',
  'agent_turns.file_message_id': 'a message of the conversation, with which the turn goes',
  'bulk_rows.conversation_id': "the contact's, with whom the row goes; shown as it was then",
  'campaign_enrollments.conversation_id': "the contact's; shown as it was then",
  'campaign_enrollments.message_id': "the contact's; shown as it was then",
  'campaign_sends.campaign_id': 'that of the enrollment, with which the row goes',
  'campaign_sends.contact_id': 'that of the enrollment; an id of nobody after the contact was erased',
  'campaign_sends.message_id': "the contact's; its place in the counters stays",
  'bulk_rows.message_id': "the contact's, with whom the row goes",
  'deliveries.webhook_id': 'the log outlives its webhook',
  'deliveries.resource_id': 'one of several tables, at the time of the event',
  'delivery_queue.delivery_id': 'written with its delivery',
  'delivery_attempts.delivery_id': 'that of the row of delivery_queue, which the claim moves',
  'delivery_replays.webhook_id': 'a replay outlives its webhook',
  'delivery_replays.after_id': 'a place in the log, which outlives its delivery',
  'door_listeners.inbox_id': 'that of the webhook, with which the row is written',
  'door_listeners.webhook_id': 'written together with the webhook, in its transaction',
  'event_listeners.webhook_id': 'written together with the webhook, in its transaction',
  ...Object.fromEntries(
    ['inbox_id', 'team_id', 'user_id', 'agent_id', 'campaign_id'].map((column) => [
      `report_facts.${column}`,
      'says for what a fact counts, also when it is gone',
    ]),
  ),
  'audit_log.actor_id': 'a user or a key; says who it was, also when they are gone',
  'conversation_activity.owner_id': "its conversation's, which a trigger copies",
  'conversation_history.actor_id':
    'a user, a key, an agent, a campaign or a follow-up; says who it was, also when they are gone',
  'notifications.actor_id':
    'a user, a key, an agent, a campaign or a follow-up; says who it was, also when they are gone',
  'notifications.message_id': 'a message of the conversation, with which the notification goes',
  'audit_log.resource_id': 'one of many tables; the log outlives what it tells of',
  'audit_log.request_id': "the caller's own word for a request",
  'idempotency_keys.principal_id': 'a user or a key; forgotten after a day',
  'idempotency_keys.resource_id': 'one of many tables; what is gone since is answered 404',
};

interface Table {
  name: string;
  columns: string[];
  key: string | null;
  /** The columns by which replication names a row that has changed; all of them where no key can have the company. */
  identity: string[];
  /** Whether rows that concern the installation itself have no company. */
  optional: boolean;
  enabled: boolean;
  forced: boolean;
}

const database = await openTestDatabase();
after(() => database.close());

const tables = await database.sql<Table>(`
  select c.relname as name, c.relrowsecurity as enabled, c.relforcerowsecurity as forced,
    array(select attname::text from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped order by attnum) as columns,
    (select string_agg(a.attname, ',' order by k.position) from pg_constraint p, unnest(p.conkey) with ordinality as k (attnum, position)
      join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
      where p.conrelid = c.oid and p.contype = 'p') as key,
    array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and (c.relreplident = 'f'
      or exists (select from pg_index i where i.indrelid = c.oid and a.attnum = any(i.indkey)
        and case c.relreplident when 'd' then i.indisprimary when 'i' then i.indisreplident end))) as identity,
    exists (select from pg_attribute where attrelid = c.oid and attname = 'company_id' and not attnotnull) as optional
  from pg_class c where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace order by 1`);
const ofCompanies = tables.filter((table) => table.columns.includes('company_id'));
const policies = await database.sql<{ table: string; policy: string }>(`
  select tablename as table, concat_ws(' ', policyname, cmd, roles::text, qual, with_check) as policy from pg_policies order by 2`);

const OF_MEMBERS = /^members ALL \{parley_member,parley_member_read\}/;

function listPolicies(table: string): string[] {
  return policies.filter((row) => row.table === table).map((row) => row.policy);
}

/** The policies that `tenant_table()` creates, as the catalogue writes them. */
function tenantPolicies(column: string): string[] {
  const own = `(${column} = current_setting('app.company_id'::text, true))`;
  return [
    'reading SELECT {parley_read} true',
    'system ALL {parley_system} true true',
    `tenant ALL {parley_app} ${own} ${own}`,
  ];
}

test('every table belongs to companies, or has an exception here', () => {
  assert.ok(ofCompanies.length > 10);
  const others = tables.filter((table) => !ofCompanies.includes(table)).map((table) => table.name);
  assert.deepEqual(others, Object.keys(WITHOUT_COMPANY).toSorted());
});

for (const { name, key, identity, optional, columns, enabled, forced } of ofCompanies) {
  describe(`the table ${name}`, () => {
    test(`the primary key of ${name} begins with the company, or has an exception here`, () => {
      assert.equal(key, OTHER_KEYS[name] ? OTHER_KEYS[name].key : 'company_id,_id');
    });

    test(`replication names the rows of ${name} with their company, and by all columns only where the company may be null`, () => {
      assert.ok(identity.includes('company_id'), identity.join(', '));
      assert.equal(identity.length === columns.length && key !== identity.join(','), optional);
    });

    test(`row-level security of ${name} is on, even for the owner, with exactly the three policies, or has an exception here`, () => {
      assert.deepEqual([enabled, forced], [true, true]);
      const other = OTHER_POLICIES[name];
      const isOther = (policy: string): boolean => other !== undefined && policy.startsWith(other.start);
      assert.equal(listPolicies(name).filter(isOther).length, other ? 1 : 0);
      assert.deepEqual(
        listPolicies(name).filter((policy) => !isOther(policy) && !OF_MEMBERS.test(policy)),
        tenantPolicies('company_id'),
      );
    });

    test(`${name} has a policy for users who do not see an inbox if it names what belongs to one, or has an exception here`, () => {
      const belongs =
        name === 'inboxes' ||
        columns.some((column) => /^(inbox|conversation|message)_id$/.test(column)) ||
        name === 'conversation_activity';
      const isHidden = listPolicies(name).some((policy) => OF_MEMBERS.test(policy));
      assert.equal(belongs && !isHidden, name in WITHOUT_MEMBERS);
    });

    test(`each id in ${name} refers to a row of the same company, or has an exception here`, async () => {
      const references = await listReferences(name);
      for (const reference of references) {
        const isCompany = reference.target === 'companies';
        assert.deepEqual(reference.targets, isCompany ? ['_id'] : ['company_id', '_id'], reference.target);
        assert.equal(reference.columns[0], 'company_id', `${name} → ${reference.target} leaves the company out`);
      }
      const hasCompany = references.some((reference) => reference.target === 'companies');
      assert.equal(hasCompany, !(name in WITHOUT_COMPANY_REFERENCE), 'its company exists');
      const pointing = new Set(['company_id', ...references.flatMap((reference) => reference.columns)]);
      const ids = columns.filter((column) => column.endsWith('_id') && column !== '_id' && !pointing.has(column));
      for (const column of ids) assert.ok(WITHOUT_REFERENCE[`${name}.${column}`], `${name}.${column} points nowhere`);
    });
  });
}

test('every exception that is listed here exists in the database', () => {
  const names = new Set(ofCompanies.map((table) => table.name));
  for (const name of Object.keys({ ...OTHER_KEYS, ...WITHOUT_COMPANY_REFERENCE })) assert.ok(names.has(name), name);
  for (const column of Object.keys(WITHOUT_REFERENCE)) {
    const [table, name = ''] = column.split('.');
    assert.ok(ofCompanies.find((item) => item.name === table)?.columns.includes(name), column);
  }
});

test('tables that belong to no company are closed to the role that works for one', async () => {
  assert.deepEqual(listPolicies('companies'), tenantPolicies('_id'));
  for (const table of [
    'callbacks_aside',
    'job_attempts',
    'oauth_clients',
    'passkeys',
    'passkey_challenges',
    'people',
    'platform_state',
    'rate_buckets',
  ]) {
    for (const role of ['parley_app', 'parley_read']) {
      const [row] = await database.sql<{ may: boolean }>(
        `select has_table_privilege($1, $2, 'select, insert, update, delete, truncate, references, trigger') as may`,
        [role, table],
      );
      assert.equal(row?.may, false, `${role} on ${table}`);
    }
  }
});

test('a partition is closed to all runtime roles, but what is too old may be deleted from those that have no days of their own', async () => {
  const partitions = await database.sql<{ name: string; rights: string[]; rows: boolean }>(`
    select c.relname as name, c.relrowsecurity as rows, array(select r.rolname || ' ' || lower(a.privilege_type)
        from aclexplode(c.relacl) a join pg_roles r on r.oid = a.grantee where a.grantee <> c.relowner order by 1) as rights
    from pg_class c where c.relispartition and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by 1`);
  assert.ok(partitions.length > 4);
  for (const { name, rights, rows } of partitions)
    assert.deepEqual(
      [rows, rights],
      [true, name.endsWith('_rest') ? ['parley_system delete', 'parley_system select'] : []],
      name,
    );
});

test('no runtime role is a superuser, bypasses row security, owns a table, can log in, or can create anything', async () => {
  const roles = await database.sql(`
    select rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication, rolcanlogin,
      (select count(*)::int from pg_class where relowner = r.oid) as owned,
      has_schema_privilege(r.oid, 'public', 'create') as creates
    from pg_roles r where rolname like 'parley\\_%' order by 1`);
  const nothing = {
    rolsuper: false,
    rolbypassrls: false,
    rolcreaterole: false,
    rolcreatedb: false,
    rolreplication: false,
  };
  const expected = { ...nothing, rolcanlogin: false, owned: 0, creates: false };
  assert.deepEqual(
    roles,
    ['parley_app', 'parley_member', 'parley_member_read', 'parley_read', 'parley_system'].map((rolname) => ({
      rolname,
      ...expected,
    })),
  );
});

test('the reading role cannot write, and only the owner can truncate or alter a table', async () => {
  const rights = await database.sql<{ right: string }>(`
    select distinct grantee || ' ' || privilege_type as right from information_schema.role_table_grants
    where table_schema = 'public' and (grantee = 'PUBLIC' or grantee like 'parley\\_%') order by 1`);
  const all = ['DELETE', 'INSERT', 'SELECT', 'UPDATE'];
  assert.deepEqual(
    rights.map((row) => row.right),
    [
      ...all.map((right) => `parley_app ${right}`),
      'parley_read SELECT',
      ...all.map((right) => `parley_system ${right}`),
    ],
  );
});

test('a company can only add lines to the audit, the system can only remove old ones, and no role can change one', async () => {
  const rights = await database.sql<{ right: string }>(`
    select distinct grantee || ' ' || privilege_type as right from information_schema.role_table_grants
    where table_schema = 'public' and table_name = 'audit_log' and (grantee = 'PUBLIC' or grantee like 'parley\\_%')
    order by 1`);
  assert.deepEqual(
    rights.map((row) => row.right),
    [
      ...['INSERT', 'SELECT'].map((right) => `parley_app ${right}`),
      'parley_read SELECT',
      ...['DELETE', 'INSERT', 'SELECT'].map((right) => `parley_system ${right}`),
    ],
  );
});

test('an Idempotency-Key belongs to one request of its owner, even without a company', async () => {
  const [row] = await database.sql<{ definition: string }>(
    `select pg_get_indexdef('idempotency_keys_key'::regclass) as definition`,
  );
  assert.match(row?.definition ?? '', /UNIQUE INDEX .*\(company_id, principal_id, key\) NULLS NOT DISTINCT$/);
});

test('a company can enqueue a job but change none, and the reading role sees no jobs', async () => {
  const rights = await database.sql<{ right: string }>(`
    select distinct grantee || ' ' || privilege_type as right from information_schema.role_table_grants
    where table_schema = 'pgboss' and grantee in ('PUBLIC', 'parley_app', 'parley_read') order by 1`);
  assert.deepEqual(
    rights.map((row) => row.right),
    ['parley_app INSERT', 'parley_app SELECT'],
  );
});

test('a database function that runs with the rights of its owner is listed here, fixes its search path, and is closed to the public', async () => {
  const functions = await database.sql<{ name: string; fixed: boolean; callers: string[] }>(`
    select proname as name, exists (select 1 from unnest(proconfig) setting where setting like 'search_path=%') as fixed,
      array(select coalesce(r.rolname, 'PUBLIC')::text from aclexplode(proacl) a left join pg_roles r on r.oid = a.grantee
        where a.grantee <> p.proowner) as callers
    from pg_proc p where prosecdef and pronamespace = 'public'::regnamespace order by 1`);
  const system = ['parley_system'];
  const callers = {
    drop_partition: system,
    // Companies see which of their users have a second factor, which belongs to a person.
    has_second_factor: ['parley_app', 'parley_read', 'parley_system'],
    make_partitions: system,
    refresh_statistics: system,
  };
  assert.deepEqual(
    functions,
    Object.entries(callers).map(([name, roles]) => ({ name, fixed: true, callers: roles })),
  );
});

/** The foreign keys of a table, with their columns and targets. */
function listReferences(table: string): Promise<{ target: string; columns: string[]; targets: string[] }[]> {
  const names = (relation: string, keys: string): string =>
    `array(select a.attname::text from unnest(f.${keys}) with ordinality as k (attnum, position)
      join pg_attribute a on a.attrelid = f.${relation} and a.attnum = k.attnum order by k.position)`;
  return database.sql(
    `select f.confrelid::regclass::text as target, ${names('conrelid', 'conkey')} as columns, ${names('confrelid', 'confkey')} as targets
      from pg_constraint f where f.contype = 'f' and f.conrelid = $1::regclass`,
    [table],
  );
}
