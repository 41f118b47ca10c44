/** The mail about unread notifications, in the language of its reader. */
import {
  escapeHtml,
  findMailLanguage,
  preventLinks,
  toOneLine,
  wrapHtml,
  type MailLanguage,
} from '../../../platform/outside/mail-layout.ts';
import { declareLimit } from '../../../platform/values/limits.ts';
import type { Receiver } from './away-queries.ts';
import { nameWriter } from '../names.ts';
import type { Notification, NotificationKind } from '../schemas.ts';

const MOST_LINES = declareLimit(20, {
  topic: 'Accounts',
  what: 'Notifications listed in an e-mail',
  beyond: 'only counted',
});

interface Words {
  subject(count: number, company: string): string;
  intro(count: number, company: string): string;
  more(count: number): string;
  settings: string;
  someone: string;
  /** Of each kind: about one conversation, and about several. */
  lines: Record<NotificationKind, (contact: string, by: string, count: number, isMany: boolean) => string>;
}

const WORDS: Record<MailLanguage, Words> = {
  en: {
    subject: (count, company) => `${count} unread notification${count === 1 ? '' : 's'} · ${company}`,
    intro: (count, company) =>
      `While you were away, there ${count === 1 ? 'was one notification' : `were ${count} notifications`} for you at ${company}:`,
    more: (count) => `and ${count} more`,
    settings: 'Choose which notifications you get by e-mail',
    someone: 'A contact',
    lines: {
      ASSIGNED: (contact, by, count, isMany) =>
        isMany ? `${by} assigned ${count} conversations to you` : `${by} assigned ${contact} to you`,
      TEAM_ASSIGNED: (contact, _by, count, isMany) =>
        isMany ? `${count} new conversations for your team` : `New for your team: ${contact}`,
      MENTIONED: (contact, by) => `${by} mentioned you in the conversation with ${contact}`,
      REPLIED: (contact, _by, count) => (count > 1 ? `${contact} sent ${count} messages` : `${contact} replied`),
      UNASSIGNED_NEW: (contact, _by, count, isMany) =>
        isMany ? `${count} new conversations in the queue` : `New in the queue: ${contact}`,
      SLA_BREACHED: (contact) => `SLA missed: ${contact}`,
      NOT_SENT: (contact, _by, count) =>
        count > 1 ? `${count} of your messages to ${contact} were not sent` : `Your message to ${contact} was not sent`,
    },
  },
  'pt-BR': {
    subject: (count, company) =>
      `${count} ${count === 1 ? 'notificação não lida' : 'notificações não lidas'} · ${company}`,
    intro: (count, company) =>
      `Enquanto você estava ausente, ${count === 1 ? 'houve uma notificação' : `houve ${count} notificações`} para você em ${company}:`,
    more: (count) => `e mais ${count}`,
    settings: 'Escolher o que recebo por e-mail',
    someone: 'Um contato',
    lines: {
      ASSIGNED: (contact, by, count, isMany) =>
        isMany ? `${by} atribuiu ${count} conversas a você` : `${by} atribuiu ${contact} a você`,
      TEAM_ASSIGNED: (contact, _by, count, isMany) =>
        isMany ? `${count} conversas novas para a sua equipe` : `Novo para a sua equipe: ${contact}`,
      MENTIONED: (contact, by) => `${by} mencionou você na conversa com ${contact}`,
      REPLIED: (contact, _by, count) => (count > 1 ? `${contact} enviou ${count} mensagens` : `${contact} respondeu`),
      UNASSIGNED_NEW: (contact, _by, count, isMany) =>
        isMany ? `${count} conversas novas na fila` : `Novo na fila: ${contact}`,
      SLA_BREACHED: (contact) => `SLA vencido: ${contact}`,
      NOT_SENT: (contact, _by, count) =>
        count > 1
          ? `${count} mensagens suas para ${contact} não foram enviadas`
          : `Sua mensagem para ${contact} não foi enviada`,
    },
  },
  es: {
    subject: (count, company) => `${count} ${count === 1 ? 'notificación' : 'notificaciones'} sin leer · ${company}`,
    intro: (count, company) =>
      `Mientras estaba ausente, hubo ${count === 1 ? 'una notificación' : `${count} notificaciones`} para usted en ${company}:`,
    more: (count) => `y ${count} más`,
    settings: 'Elegir qué recibo por correo',
    someone: 'Un contacto',
    lines: {
      ASSIGNED: (contact, by, count, isMany) =>
        isMany ? `${by} le asignó ${count} conversaciones` : `${by} le asignó ${contact}`,
      TEAM_ASSIGNED: (contact, _by, count, isMany) =>
        isMany ? `${count} conversaciones nuevas para su equipo` : `Nuevo para su equipo: ${contact}`,
      MENTIONED: (contact, by) => `${by} le mencionó en la conversación con ${contact}`,
      REPLIED: (contact, _by, count) => (count > 1 ? `${contact} envió ${count} mensajes` : `${contact} respondió`),
      UNASSIGNED_NEW: (contact, _by, count, isMany) =>
        isMany ? `${count} conversaciones nuevas en la cola` : `Nuevo en la cola: ${contact}`,
      SLA_BREACHED: (contact) => `SLA vencido: ${contact}`,
      NOT_SENT: (contact, _by, count) =>
        count > 1 ? `${count} mensajes suyos para ${contact} no se enviaron` : `Su mensaje para ${contact} no se envió`,
    },
  },
};

interface AwayMail {
  consoleUrl: string;
  /** The last raised first. */
  notifications: Notification[];
}

/** Composes the mail. Previews stay out: a mail is read on devices that the company does not know. */
export function composeAwayMail({ name, language, company }: Receiver, { consoleUrl, notifications }: AwayMail) {
  const known = findMailLanguage(language);
  const words = WORDS[known];
  const count = notifications.length;
  const subject = words.subject(count, toOneLine(company));
  const intro = words.intro(count, preventLinks(toOneLine(company)));
  const lines = notifications.slice(0, MOST_LINES).map((each) => describe(words, each, consoleUrl));
  const rest = count > lines.length ? [words.more(count - lines.length)] : [];
  const settings = `${consoleUrl}/profile`;
  const greeting = preventLinks(toOneLine(name));
  const paragraphs = [
    `${greeting},`,
    intro,
    [...lines.map(({ text, link }) => `- ${text}\n  ${link}`), ...rest].join('\n'),
    `${words.settings}: ${settings}`,
  ];
  const items = lines.map(({ text, link }) => `<li><a href="${escapeHtml(link)}">${escapeHtml(text)}</a></li>`);
  const body = `<p>${escapeHtml(greeting)},</p>
<p>${escapeHtml(intro)}</p>
<ul style="padding-left:20px">${items.join('\n')}</ul>
${rest.map((text) => `<p>${escapeHtml(text)}</p>`).join('')}
<p style="margin-top:28px;font-size:13px"><a href="${escapeHtml(settings)}">${escapeHtml(words.settings)}</a></p>`;
  return {
    subject,
    text: `${paragraphs.join('\n\n')}\n\nParley\n`,
    html: wrapHtml(known, subject, body),
  };
}

function describe({ lines, someone }: Words, notification: Notification, consoleUrl: string) {
  const { kind, conversation, actor, count } = notification;
  const contact = toQuiet(nameWriter(notification) ?? someone);
  const text = lines[kind](contact, toQuiet(actor?.name ?? 'Parley'), count, conversation === null);
  const path = conversation === null ? (kind === 'ASSIGNED' ? 'mine' : 'unassigned') : `all/${conversation}`;
  return { text, link: `${consoleUrl}/inbox/${path}` };
}

const toQuiet = (name: string): string => preventLinks(toOneLine(name));
