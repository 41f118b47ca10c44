/** Posts signed callbacks as the network does: one message each, from `people` people in turn. */
import { createHmac } from 'node:crypto';
import { Pool } from 'undici';
import type { BenchStage } from './stage.ts';

export interface CallbackCaller {
  /** Posts one callback with a text, and resolves when it is answered. */
  call(): Promise<void>;
  /** The same with a picture, which the network knows by this id. */
  callWithPicture(id: string): Promise<void>;
  close(): Promise<void>;
}

let calls = 0;

export function openCallbackCaller(
  url: string,
  { appSecret }: Pick<BenchStage, 'appSecret'>,
  { connections, people }: { connections: number; people: number },
): CallbackCaller {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const post = (makeContent: (serial: number) => object): Promise<void> => {
    calls += 1;
    const from = `55119${80_000_000 + (calls % people)}`;
    return postCallback(pool, appSecret, { serial: calls, from, content: makeContent(calls) });
  };
  return {
    call: () => post((serial) => ({ type: 'text', text: { body: `Mensagem ${serial}` } })),
    callWithPicture: (id) => post(() => ({ type: 'image', image: { id, mime_type: 'image/jpeg' } })),
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
  { from, serial, content }: { from: string; serial: number; content: object },
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
                  ...content,
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
