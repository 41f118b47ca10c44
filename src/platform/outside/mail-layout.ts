/** The layout that all mails of the platform share, and what makes names safe in them. */

export interface ComposedMail {
  subject: string;
  text: string;
  html: string;
}

const LANGUAGES = ['pt-BR', 'en', 'es'] as const;
export type MailLanguage = (typeof LANGUAGES)[number];

/** Returns the language of a mail; English when there is no text in that of the reader. */
export const findMailLanguage = (language: string): MailLanguage => LANGUAGES.find((each) => each === language) ?? 'en';

/** Puts the body of a mail into the page that all mails share. */
export const wrapHtml = (language: MailLanguage, subject: string, body: string): string => `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(subject)}</title>
</head>
<body style="margin:0;padding:24px 16px;font:16px/1.5 system-ui,'Segoe UI',Roboto,sans-serif">
<div style="max-width:520px;margin:0 auto">
${body}
<p style="font-size:13px">Parley</p>
</div>
</body>
</html>
`;

// The longest name in a mail. Names of people and firms are shorter; a longer text could pretend to be a mail itself.
const NAME_CHARACTERS = 80;

/** Makes a name safe for a subject: no line breaks, control or direction marks, and not too long. */
export function toOneLine(name: string): string {
  // The two joiner characters are kept, because Persian and Indian names and emoji are spelled with them.
  const characters = Array.from(name.replaceAll(/(?:(?![\u200c\u200d])[\p{C}\p{Z}])+/gu, ' ').trim());
  return characters.length > NAME_CHARACTERS
    ? `${characters
        .slice(0, NAME_CHARACTERS - 1)
        .join('')
        .trimEnd()}…`
    : characters.join('');
}

/** Keeps mail programs from turning a name into a link: inserts an invisible word joiner into anything that looks like an address. */
export function preventLinks(name: string): string {
  return name.replaceAll(/:(?=\/\/)|\.(?=\p{L}{2})/gu, '$&\u2060');
}

const ENTITIES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES.get(character) ?? '');
}
