/**
 * The texts of mails about accounts, in the language of the reader. The mails have one column, no image, and nothing that reports to a
 * server that they were opened.
 */
import {
  escapeHtml,
  findMailLanguage,
  preventLinks,
  toOneLine,
  wrapHtml,
  type ComposedMail,
  type MailLanguage,
} from '../../platform/outside/mail-layout.ts';
import { FACTOR_MAILS, type MailWords } from './factor-mails.ts';

/** Returns the mail to a new user. `link` sets the first password and works for 72 hours. An unknown language falls back to English. */
export function invitationMail(input: { name: string; company: string; language: string; link: string }): ComposedMail {
  return composeMail(INVITATION, input);
}

/**
 * Returns the mail to a person who has a password and is invited by another company. `link` accepts the invitation and works for 72 hours.
 * An unknown language falls back to English.
 */
export function joinMail(input: { name: string; company: string; language: string; link: string }): ComposedMail {
  return composeMail(JOIN, input);
}

/**
 * Returns the mail for a forgotten password. `link` sets a new password and works for 1 hour. An unknown language falls back to English.
 */
export function resetMail(input: { name: string; language: string; link: string }): ComposedMail {
  return composeMail(RESET, { ...input, company: '' });
}

/** Returns the mail to a user whose two-factor log-in was turned on or off. An unknown language falls back to English. */
export function factorMail(
  change: keyof typeof FACTOR_MAILS,
  input: { name: string; company: string; language: string; link: string },
): ComposedMail {
  return composeMail(FACTOR_MAILS[change], input);
}

const FRAME: Record<MailLanguage, { greeting: string; paste: string }> = {
  en: { greeting: 'Hello {name},', paste: 'If the button does not work, paste this address into your browser:' },
  'pt-BR': { greeting: 'Olá, {name},', paste: 'Se o botão não funcionar, cole este endereço no seu navegador:' },
  es: { greeting: 'Hola, {name}:', paste: 'Si el botón no funciona, pegue esta dirección en su navegador:' },
};

const INVITATION: Record<MailLanguage, MailWords> = {
  en: {
    subject: 'Your access to {company} on Parley',
    intro: 'You have been given access to the company “{company}” on Parley. Choose a password to log in:',
    button: 'Choose my password',
    lifetime: 'The link works once, and for 72 hours. After that, ask the person who invited you to send it again.',
    unexpected:
      'If you did not expect an invitation, ignore this e-mail: no one can log in until a password is chosen.',
  },
  'pt-BR': {
    subject: 'Seu acesso a {company} no Parley',
    intro: 'Você recebeu acesso à empresa “{company}” no Parley. Escolha uma senha para entrar:',
    button: 'Escolher minha senha',
    lifetime:
      'O link funciona uma única vez e vale por 72 horas. Depois, peça a quem convidou você que o envie de novo.',
    unexpected:
      'Não esperava por isto? Ignore este e-mail: ninguém consegue entrar antes que uma senha seja escolhida.',
  },
  es: {
    subject: 'Su acceso a {company} en Parley',
    intro: 'Ha recibido acceso a la empresa “{company}” en Parley. Elija una contraseña para entrar:',
    button: 'Elegir mi contraseña',
    lifetime:
      'El enlace funciona una sola vez y vale por 72 horas. Después, pida a quien le invitó que lo envíe de nuevo.',
    unexpected: '¿No esperaba este correo? Ignórelo: nadie puede entrar antes de que se elija una contraseña.',
  },
};

const JOIN: Record<MailLanguage, MailWords> = {
  en: {
    subject: 'Your access to {company} on Parley',
    intro: 'You have been invited to the company “{company}” on Parley. Your password stays the same:',
    button: 'Accept the invitation',
    lifetime: 'The link works once, and for 72 hours. After that, ask the person who invited you to send it again.',
    unexpected:
      'If you did not expect an invitation, ignore this e-mail: your account and your password stay the same.',
  },
  'pt-BR': {
    subject: 'Seu acesso a {company} no Parley',
    intro: 'A empresa “{company}” convida você a trabalhar com ela no Parley. Sua senha continua a mesma:',
    button: 'Aceitar o convite',
    lifetime:
      'O link funciona uma única vez e vale por 72 horas. Depois, peça a quem convidou você que o envie de novo.',
    unexpected: 'Não esperava por isto? Ignore este e-mail: sua conta e sua senha continuam como estão.',
  },
  es: {
    subject: 'Su acceso a {company} en Parley',
    intro: 'La empresa “{company}” le invita a trabajar con ella en Parley. Su contraseña sigue siendo la misma:',
    button: 'Aceptar la invitación',
    lifetime:
      'El enlace funciona una sola vez y vale por 72 horas. Después, pida a quien le invitó que lo envíe de nuevo.',
    unexpected: '¿No esperaba este correo? Ignórelo: su cuenta y su contraseña siguen como están.',
  },
};

const RESET: Record<MailLanguage, MailWords> = {
  en: {
    subject: 'Reset your Parley password',
    intro: 'Someone (probably you) requested a new password for your Parley account. Choose it here:',
    button: 'Choose a new password',
    lifetime:
      'The link works once, and for 1 hour. After that, ask for a new one where you log in. A new password ends your sessions. It does not change your passkeys and two-factor log-in: if someone else has used your account, check them in your profile.',
    unexpected: 'If you did not request it, ignore this e-mail: your password stays the same.',
  },
  'pt-BR': {
    subject: 'Uma nova senha para o Parley',
    intro: 'Alguém, provavelmente você, pediu uma nova senha para sua conta no Parley. Escolha-a aqui:',
    button: 'Escolher uma nova senha',
    lifetime:
      'O link funciona uma única vez e vale por 1 hora. Depois, peça um novo onde você faz login. Uma nova senha encerra as suas sessões. Ela não muda as suas chaves de acesso nem a verificação em duas etapas: se outra pessoa usou a sua conta, confira-as no seu perfil.',
    unexpected: 'Não foi você quem pediu? Ignore este e-mail: sua senha continua a mesma.',
  },
  es: {
    subject: 'Una nueva contraseña para Parley',
    intro: 'Alguien, probablemente usted, pidió una nueva contraseña para su cuenta de Parley. Elíjala aquí:',
    button: 'Elegir una nueva contraseña',
    lifetime:
      'El enlace funciona una sola vez y vale por 1 hora. Después, pida uno nuevo donde inicia sesión. Una contraseña nueva cierra sus sesiones. No cambia sus llaves de acceso ni la verificación en dos pasos: si otra persona ha usado su cuenta, revíselas en su perfil.',
    unexpected: '¿No lo pidió usted? Ignore este correo: su contraseña sigue siendo la misma.',
  },
};

interface MailValues {
  name: string;
  company: string;
  language: string;
  link: string;
}

function composeMail(
  mails: Record<MailLanguage, MailWords>,
  { name, company, language, link }: MailValues,
): ComposedMail {
  const known = findMailLanguage(language);
  const { subject, intro, button, lifetime, unexpected } = mails[known];
  const { greeting, paste } = FRAME[known];
  const names = { name: toOneLine(name), company: toOneLine(company) };
  const quiet = { name: preventLinks(names.name), company: preventLinks(names.company) };
  const paragraphs = [fillPlaceholders(greeting, quiet), fillPlaceholders(intro, quiet), link, lifetime, unexpected];
  const html = (text: string): string => escapeHtml(fillPlaceholders(text, quiet));
  return {
    subject: fillPlaceholders(subject, names),
    text: `${paragraphs.join('\n\n')}\n\nParley\n`,
    html: wrapHtml(
      known,
      fillPlaceholders(subject, names),
      `<p>${html(greeting)}</p>
<p>${html(intro)}</p>
<p style="margin:28px 0"><a href="${escapeHtml(link)}"
style="display:inline-block;padding:12px 24px;border-radius:10px;background:#0b7a5e;color:#ffffff;font-weight:600;text-decoration:none"
>${escapeHtml(button)}</a></p>
<p>${escapeHtml(lifetime)}</p>
<p>${escapeHtml(unexpected)}</p>
<p style="margin-top:28px;font-size:13px">${escapeHtml(paste)}<br>
<a href="${escapeHtml(link)}" style="word-break:break-all">${escapeHtml(link)}</a></p>`,
    ),
  };
}

/** Replaces all placeholders in one pass, so that a name that looks like a placeholder is not replaced. */
function fillPlaceholders(text: string, values: { name: string; company: string }): string {
  return text.replaceAll(/\{(name|company)\}/g, (_, key: 'name' | 'company') => values[key]);
}
