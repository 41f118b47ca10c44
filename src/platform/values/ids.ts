/**
 * Makes ids in the layout of a MongoDB ObjectId: 4 bytes of seconds, 5 random bytes for the process, a counter of 3 bytes; 24 hex
 * characters.
 */
import { randomBytes, randomInt } from 'node:crypto';

const PROCESS_PART = randomBytes(5).toString('hex');
const COUNTER_SIZE = 0x1_00_00_00;
let counter = randomInt(COUNTER_SIZE);

export function newId(now = Date.now()): string {
  counter = (counter + 1) % COUNTER_SIZE;
  const seconds = Math.floor(now / 1000);
  return seconds.toString(16).padStart(8, '0') + PROCESS_PART + counter.toString(16).padStart(6, '0');
}

export function isId(text: string): boolean {
  return /^[0-9a-f]{24}$/.test(text);
}
