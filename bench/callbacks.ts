/** Posts signed callbacks as the network does: one text message each, from `people` people in turn. */
import { createHmac } from 'node:crypto';
import { Pool } from 'undici';
import type { Stage } from './stage.ts';

export interface Caller {
  /** Posts one callback and resolves when it is answered. */
  call(): Promise<void>;
  close(): Promise<void>;
}

let called = 0;

export function openCaller(
  url: string,
  { appSecret }: Pick<Stage, 'appSecret'>,
  { connections, people }: { connections: number; people: number },
): Caller {
  const pool = new Pool(url, { connections, pipelining: 1 });
  return {
    call: () => {
      called += 1;
      return postCallback(pool, appSecret, { serial: called, from: `55119${80_000_000 + (called % people)}` });
    },
    close: () => pool.close(),
  };
}

/** Posts callbacks until each of the people has written once. */
export async function postOncePerPerson(call: () => Promise<void>, width: number, people: number): Promise<void> {
  const loop = async (): Promise<void> => {
    for (let count = 0; count < people / width; count += 1) await call();
  };
  await Promise.all(Array.from({ length: width }, loop));
}

async function postCallback(
  pool: Pool,
  appSecret: string,
  { from, serial }: { from: string; serial: number },
): Promise<void> {
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [
      {
        id: '200000000000001',
        changes: [
          {
            field: 'messages',
            value: {
              messaging_product: 'whatsapp',
              metadata: { display_phone_number: '5511900000000', phone_number_id: '100000000000001' },
              contacts: [{ profile: { name: 'Bench' }, wa_id: from }],
              messages: [
                {
                  from,
                  id: `wamid.${process.pid}.${serial}`,
                  timestamp: String(Math.floor(Date.now() / 1000)),
                  type: 'text',
                  text: { body: `Mensagem ${serial}` },
                },
              ],
            },
          },
        ],
      },
    ],
  });
  const signature = createHmac('sha256', appSecret).update(body).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
  const { statusCode, body: answer } = await pool.request({ method: 'POST', path: '/hooks/wap', headers, body });
  await answer.dump();
  if (statusCode !== 200) throw new Error(`the callback was answered ${statusCode}`);
}
