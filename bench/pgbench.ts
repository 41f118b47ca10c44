/** Runs the statements that store a message by pgbench, the load generator of PostgreSQL, where it is installed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// The script sends messages only of people whose first message the bare loop has stored.
const SCRIPT = (people: number): string => `\\set unit random(1, 4000000000000)
\\set person random(0, ${people - 1})
begin;
select company_id as company, _id as inbox from inboxes where channel = 'WAP_AUTO_CLOSER' and network_address = '100000000000001' and status = 'ACTIVE' \\gset
select count(*) as known from message_keys where company_id = :company and key = message_key(:inbox, 'pgbench.' || :unit::bigint) \\gset
select contact_id as contact from contact_identities where company_id = :company and kind = 'PHONE' and value = '55219' || (80000000 + :person::int) \\gset
select _id as conversation from conversations where company_id = :company and inbox_id = :inbox and contact_id = :contact and status <> 'CLOSED' for no key update \\gset
insert into message_keys (company_id, key, message_id) values (:company, message_key(:inbox, 'pgbench.' || :unit::bigint), lpad(to_hex(:unit::bigint), 24, '0'));
insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, message_type, origin, content_type, content, status, external_id, sent_at)
  values (:company, lpad(to_hex(:unit::bigint), 24, '0'), :conversation, :contact, :inbox, 'WAP_AUTO_CLOSER', 'CONTACT', 'INCOMING', 'CHANNEL', 'TEXT', 'Mensagem', 'RECEIVED', 'pgbench.' || :unit::bigint, now());
update conversations set last_message_id = lpad(to_hex(:unit::bigint), 24, '0'), last_message_at = now(), last_inbound_at = now(), window_expires_at = now() + interval '24 hours', unread_count = unread_count + 1 where company_id = :company and _id = :conversation;
update contacts set last_message_at = now(), last_inbound_at = now() where company_id = :company and _id = :contact;
insert into deliveries (company_id, _id, webhook_id, webhook_epoch, event, resource_id, body)
  select company_id, lpad(to_hex(:unit::bigint), 24, 'd'), webhook_id, epoch, 'MESSAGE_RECEIVED', company_id, repeat('x', 900) from event_listeners where company_id = :company and event = 'MESSAGE_RECEIVED';
commit;
`;

/** Returns transactions per second; null where pgbench is not installed. */
export async function runPgbench(
  url: string,
  options: { people: number; connections: number; seconds: number },
): Promise<number | null> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-pgbench-'));
  const file = join(folder, 'message.sql');
  await writeFile(file, SCRIPT(options.people));
  const { hostname, port, username, password, pathname } = new URL(url);
  const child = spawn(
    'pgbench',
    [
      '-n',
      '-M',
      'prepared',
      '-c',
      String(options.connections),
      '-j',
      '2',
      '-T',
      String(options.seconds),
      '-f',
      file,
      pathname.slice(1),
    ],
    {
      env: {
        ...process.env,
        PGHOST: decodeURIComponent(hostname),
        PGPORT: port,
        PGUSER: username,
        PGPASSWORD: decodeURIComponent(password),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  try {
    await once(child, 'close');
  } catch (error) {
    // Failure policy: without pgbench nothing is measured; any other error ends the benchmark.
    if ((error as { code?: string }).code === 'ENOENT') return null;
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const rate = /tps = ([\d.]+)/.exec(output)?.[1];
  if (!rate) throw new Error(`pgbench failed: ${output.slice(0, 500)}`);
  return Number(rate);
}
