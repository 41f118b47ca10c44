// What the person writes and does.
import { summarize } from './bubbles.js';
import { byId, control } from './elements.js';
import { nameOf, state } from './phone-state.js';

// The network takes no larger file.
const FILE_MAX_BYTES = 100 * 1_048_576;

export function reply(item) {
  state.replyTo = item?.id ?? null;
  byId('replying').hidden = item === null;
  byId('replying-to').textContent = item === null ? '' : summarize(item).slice(0, 80);
  if (item !== null) byId('text').focus();
}

/** Writes a message as the chosen person, and returns whether the sandbox took it. */
export async function write(message) {
  const { network, person, company, replyTo } = state;
  complain('');
  reply(null);
  try {
    const result = await control('phone/messages', {
      ...message,
      network: network.id,
      account: company?.id,
      contact: nameOf(person),
      name: person.name,
      ...(replyTo === null ? {} : { context: replyTo }),
    });
    // A mail waits in its mailbox, where the platform fetches it.
    if (result.delivered === false) notTaken(result);
    return true;
  } catch (error) {
    complain(error.message);
    return false;
  }
}

/** Sends a file in the kind of message that its type has, with the words of the text field as its caption where that kind has captions. */
export async function writeFile(file) {
  if (file.size > FILE_MAX_BYTES) return complain('The network takes files of at most 100 MB.');
  const base64 = await readBase64(file);
  if (base64 === null) return complain('The browser cannot read this file.');
  const media = { base64, mime_type: file.type, file_name: file.name };
  const hasCaption = state.network.isMail || !/^(audio\/|image\/webp$)/.test(file.type);
  await writeText({ type: 'file', media }, hasCaption);
}

/** Writes what the fields have; they keep it when the sandbox does not take it. */
export async function writeText(message, hasText = true) {
  const fields = state.network.isMail ? ['text', 'subject'] : ['text'];
  const given = hasText ? fields.map((id) => [id, byId(id).value.trim()]).filter(([, value]) => value !== '') : [];
  for (const [id] of given) byId(id).value = '';
  const html = state.network.isMail && byId('html').checked ? { html: true } : {};
  if (!(await write({ ...message, ...Object.fromEntries(given), ...html })))
    for (const [id, value] of given) byId(id).value = value;
}

async function readBase64(file) {
  try {
    return new Uint8Array(await file.arrayBuffer()).toBase64();
  } catch {
    // Failure policy: a file that was moved or may not be read is not sent, and the caller says so.
    return null;
  }
}

export function complain(text) {
  byId('trouble').textContent = text;
}

function notTaken({ status }) {
  const why = status === null ? 'it did not answer (is its address set?)' : `it answered ${status}`;
  complain(`The platform did not take this message: ${why}. It is tried again.`);
}

/** Tells the sandbox what the person does with a message of the company. */
export async function tell(path, id) {
  try {
    await control(path, { network: state.network.id, id });
  } catch (error) {
    complain(error.message);
  }
}
