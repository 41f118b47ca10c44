import { answer, toObject, toText, type Answer } from '../exchange.ts';
import type { Fault } from '../settings.ts';
import type { Sandbox } from '../state.ts';
import { returnMail, writeMail } from './compose.ts';
import { MAILBOX_PASSWORD } from './state.ts';

type Call = { sandbox: Sandbox; query: URLSearchParams; body: unknown };

const problem = (error: string): Answer => answer({ error }, 400);

const PLACES = ['connect', 'log_in', 'recipient', 'data', 'imap_connect', 'imap_log_in', 'fetch'];
const KINDS = ['slow', 'hang', 'reset', 'hang_after_accept', 'reset_after_accept'];

/** A fault is a reply of the server, or something that happens to the connection. */
const isFault = (fault: unknown): boolean => {
  const { code, kind } = toObject(fault);
  return Number.isInteger(code) || KINDS.includes(String(kind));
};

/** The operations of the control API that concern mails. */
export const MAIL_OPERATIONS: Record<string, (call: Call) => Answer | Promise<Answer>> = {
  'GET mail/servers': ({ sandbox }) => answer({ ...sandbox.mailServers, password: MAILBOX_PASSWORD }),
  'GET mail/messages': ({ sandbox, query }) => {
    const wanted = query.get('contact')?.toLowerCase() ?? null;
    const mails = [...sandbox.mail.mails.values()].filter(({ contact }) => wanted === null || contact === wanted);
    return answer({ mails });
  },
  'GET mail/settings': ({ sandbox }) => answer(sandbox.mail.settings),
  'PUT mail/settings': putSettings,
  'POST mail/inbound': async ({ sandbox, body }) => {
    const { mailbox, from, ...note } = toObject(body);
    const written = await writeMail(sandbox, { account: mailbox, contact: from, ...note });
    return typeof written === 'string' ? problem(written) : answer(written);
  },
  'POST mail/return': ({ sandbox, body }) => {
    const { id, code = 550, message = 'There is no such mailbox' } = toObject(body);
    return returnMail(sandbox, String(id), { code: Number(code), message: toText(message) ?? '' })
      ? answer({ returned: true })
      : problem('The company has sent no such mail.');
  },
};

function putSettings({ sandbox, body }: Call): Answer {
  const faults = toObject(toObject(body)['faults']);
  const isValid = Object.entries(faults).every(
    ([place, list]) => PLACES.includes(place) && Array.isArray(list) && list.every(isFault),
  );
  if (!isValid)
    return problem(`Each place (${PLACES.join(', ')}) has a list of faults: a code, or a kind (${KINDS.join(', ')}).`);
  const { settings } = sandbox.mail;
  settings.faults = { ...settings.faults, ...(structuredClone(faults) as Record<string, Fault[]>) };
  return answer(settings);
}
