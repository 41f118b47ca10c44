import { answer, getOwnProperty, toObject, toText, type Answer } from '../exchange.ts';
import type { Fault } from '../settings.ts';
import type { Sandbox } from '../state.ts';
import { returnMail, writeMail } from './compose.ts';
import { MAILBOX_PASSWORD } from './state.ts';

type Call = { sandbox: Sandbox; query: URLSearchParams; body: unknown };

const problem = (error: string): Answer => answer({ error }, 400);

const PLACES = ['connect', 'log_in', 'recipient', 'data', 'imap_connect', 'imap_log_in', 'fetch'];

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
  const unknown = Object.keys(faults).find(
    (place) => !PLACES.includes(place) || !Array.isArray(getOwnProperty(faults, place)),
  );
  if (unknown !== undefined) return problem(`A list of faults has a place of its own: ${PLACES.join(', ')}.`);
  const { settings } = sandbox.mail;
  settings.faults = { ...settings.faults, ...(structuredClone(faults) as Record<string, Fault[]>) };
  return answer(settings);
}
