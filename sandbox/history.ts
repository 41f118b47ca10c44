import { toObject, toText, type Json } from './exchange.ts';

/** A message that the phone page showed before this process was started. Only its text is known, and nothing reports on it any more. */
export type HistoryMessage = {
  id: string;
  phone_number_id: string;
  /** The digits of the person's number. */
  contact: string;
  /** As the phone sees it: `out` was written by the person. */
  direction: 'in' | 'out';
  text: string;
  status: string;
  created_at: string;
};

/** Reads the body of `PUT history`. Returns an error sentence when it is wrong. */
export function readHistory(given: Json): HistoryMessage[] | string {
  const phoneNumberId = toText(given['phone_number_id']);
  const { messages } = given;
  if (phoneNumberId === undefined || !Array.isArray(messages)) return 'phone_number_id and messages are required.';
  const read = messages.map((message) => readMessage(phoneNumberId, toObject(message)));
  return read.every((message) => message !== null)
    ? read
    : 'A message has id, contact, direction, text and created_at.';
}

function readMessage(phoneNumberId: string, given: Json): HistoryMessage | null {
  const { direction } = given;
  const [id, contact, text] = [toText(given['id']), toText(given['contact']), toText(given['text'])];
  const created_at = toText(given['created_at']);
  if (!id || !contact || text === undefined || !created_at || (direction !== 'in' && direction !== 'out')) return null;
  const status = toText(given['status']) ?? 'delivered';
  return { id, phone_number_id: phoneNumberId, contact, direction, text, status, created_at };
}

/** The message in the form in which the phone page gets every other one. */
export function toHistoryItem({ id, direction, text, status, created_at }: HistoryMessage) {
  const message = { type: 'text', text: { body: text } };
  return direction === 'in'
    ? { id, direction, body: message, status, created_at }
    : { id, direction, message, delivered: true, read: false, created_at };
}
