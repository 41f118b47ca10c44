/** Greedy requests that need no token, or only a signature: callbacks, bodies that never end, and the OpenAPI document. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ADDRESS, type GreedyBehaviour } from './play.ts';

const MESSAGES = 20_000;
const JUNK = 300_000;
const PEOPLE = 1_000;

const buildCallbackBody = (changes: object[]): string =>
  JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: '2', changes }] });

/** Sends callbacks that hold as many messages as a company gets on a busy day, from a thousand people. */
export const LARGE_CALLBACKS: GreedyBehaviour = {
  act: async (play) => {
    let posted = 0;
    await play.inLanes(2, async () => {
      posted += 1;
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const messages = Array.from({ length: play.scaled(MESSAGES) }, (_, n) => ({
        from: `55119850${String(n % PEOPLE).padStart(5, '0')}`,
        id: `wamid.${posted}.${n}`,
        timestamp,
        type: 'text',
        text: { body: 'Hi' },
      }));
      const metadata = { display_phone_number: '5511900000000', phone_number_id: play.phone };
      await play.callBack(buildCallbackBody([{ field: 'messages', value: { metadata, messages } }]));
    });
  },
};

export const JUNK_CALLBACKS: GreedyBehaviour = {
  act: async (play) => {
    const entry = Array.from({ length: play.scaled(JUNK) }, () => 0);
    const body = JSON.stringify({ object: 'whatsapp_business_account', entry });
    await play.inLanes(2, () => play.callBack(body));
  },
};

const PROMISED = 4 * 1024 * 1024;
// The bytes and the pause of each piece, together two megabits per second, because the capacity of the network is not what this proof
// tests.
const PIECE = Buffer.alloc(64 * 1024, ' ');
const PIECE_MS = 250;

/** Sends requests that announce four megabytes, send them piece by piece without the last byte, and wait until they are cut. */
export const HALF_SENT_BODIES: GreedyBehaviour = {
  act: async (play) => {
    const { hostname, port } = new URL(play.url);
    const head = `POST /hooks/wap HTTP/1.1\r\nhost: ${hostname}\r\nx-hub-signature-256: sha256=${'0'.repeat(64)}\r\ncontent-type: application/json\r\ncontent-length: ${PROMISED}\r\n\r\n`;
    await play.inLanes(play.scaled(300), async () => {
      const socket = connect({ host: hostname, port: Number(port), localAddress: ADDRESS });
      // Failure policy: the platform may cut such a connection; it is opened again.
      socket.on('error', () => undefined).resume();
      const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
      socket.write(head);
      let left = PROMISED - 1;
      const timer = setInterval(() => {
        if (play.isOver()) return void socket.destroy();
        if (left > 0) socket.write(PIECE.subarray(0, left));
        left -= Math.min(left, PIECE.length);
      }, PIECE_MS);
      await closed;
      clearInterval(timer);
      await sleep(PIECE_MS);
    });
  },
};

export const API_DESCRIPTIONS: GreedyBehaviour = {
  act: (play) => play.inLanes(50, () => play.visit('/openapi.json')),
};
