/** Benchmark (c): GET /v1/messages/{id} with authentication, compared with a bare node:http server that runs the same query. */
import { Pool } from 'undici';
import { compareRates, makeRatioFigure, type Figure } from './measure.ts';
import { spawnProgram, type BenchStage } from './stage.ts';

export const WIDTH = 32;

/** Returns a function that calls GET /v1/messages/{id} once; it has as many connections as there are concurrent callers. */
export function openReader(url: string, id: string, headers: Record<string, string>): () => Promise<void> {
  const pool = new Pool(url, { connections: WIDTH, pipelining: 1 });
  const path = `/v1/messages/${id}`;
  return async () => {
    const { statusCode, body } = await pool.request({ method: 'GET', path, headers });
    if (statusCode !== 200) throw new Error(`${url}${path} answered ${statusCode}`);
    await body.dump();
  };
}

export async function benchReadMessage(stage: BenchStage): Promise<Figure[]> {
  const id = await seedMessage(stage);
  const api = await spawnProgram('src/launch.js', ['api'], stage.env);
  const raw = await spawnProgram('bench/peers/raw-http.ts', [], {
    DATABASE_URL: stage.database.url,
    COMPANY: stage.company,
  });
  const rates = await compareRates(
    [
      { name: 'api', work: openReader(api.url, id, { authorization: `Bearer ${stage.key}` }) },
      { name: 'raw', work: openReader(raw.url, id, {}) },
    ],
    { width: WIDTH, durationMs: 3_000, times: 5 },
  );
  await api.stop();
  await raw.stop();
  return [
    makeRatioFigure('(c) GET /v1/messages/{id} / raw node:http', rates.get('api') ?? 0, rates.get('raw') ?? 0, 0.7),
  ];
}

/** Stores one message and returns its id. */
export async function seedMessage(stage: BenchStage): Promise<string> {
  const id = 'b'.repeat(24);
  await stage.database.sql(
    `with i as (select _id, channel from inboxes where company_id = $1 and channel = 'WAP_AUTO_CLOSER' limit 1), c as (
      insert into contacts (company_id, _id, name, source) values ($1, $2, 'Bench', 'API') returning _id
    ), v as (
      insert into conversations (company_id, _id, contact_id, inbox_id, channel, handled_by)
      select $1, $2, c._id, i._id, i.channel, 'NONE' from c, i returning *
    ) insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, message_type, origin,
        content_type, content, status)
      select $1, $2, v._id, v.contact_id, v.inbox_id, v.channel, 'CONTACT', 'INCOMING', 'CHANNEL', 'TEXT', 'Bom dia!', 'RECEIVED' from v`,
    [stage.company, id],
  );
  return id;
}
