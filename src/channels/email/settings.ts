/** The settings of an inbox on this channel (`email_config`): a mailbox, and the servers that send for it and keep its mails. */
import { generateKeyPairSync } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { nameServer } from '../../platform/outside/mail-server.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { explainedPattern, NOT_BLANK, nullable, plain } from '../../platform/values/schema.ts';
import type { ChannelSettings } from '../settings.ts';
import { findDkimFault } from './dkim.ts';

// The host and the port are checked by the rules for the addresses of tenants.
const HOST_AND_PORT = String.raw`(\[[0-9a-fA-F:.]+\]|[^\s/?#@\\:[\]]+)(:[0-9]{1,5})?/?$`;

const serverAddress = (pattern: string, words: string, description: string) =>
  Type.String({ maxLength: 300, ...explainedPattern(`^${pattern}://${HOST_AND_PORT}`, words), description });

const visible = (maxLength: number, description: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    ...explainedPattern(String.raw`^[^\x00-\x1f\x7f]*$`, 'must not have control characters in it'),
    description,
  });

const address = Type.String({
  maxLength: 254,
  ...explainedPattern(
    String.raw`^[^\s\x00-\x1f\x7f"(),:;<>@[\\\]]{1,64}@[^\s\x00-\x1f\x7f"(),:;<>@[\\\]]{1,189}$`,
    'must be one e-mail address, such as support@shop.example',
  ),
  description: 'The address that mails are sent from',
});

const PROPERTIES = {
  address,
  from_name: Type.Optional(nullable(visible(100, 'The name that recipients see; null for the address alone'))),
  signature: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: declareLimit(2_000, { topic: 'E-mail', what: 'Signature', unit: 'characters', beyond: '400' }),
        ...NOT_BLANK,
        description: 'Stands below the mails that users write; {{user.name}} is the name of the user. null: none',
      }),
    ),
  ),
  smtp_url: serverAddress(
    'smtps?',
    'must be the address of a mail server, such as smtps://smtp.shop.example or smtp://smtp.shop.example:587',
    'The SMTP server. smtps: implicit TLS, port 465; smtp: STARTTLS, port 587. Mails are never sent without TLS',
  ),
  imap_url: Type.Optional(
    nullable(
      serverAddress(
        'imaps',
        'must be the address of a mail server, such as imaps://imap.shop.example',
        'The IMAP server. Always with TLS, port 993; null: mails are only pushed, with hook_secret',
      ),
    ),
  ),
  username: visible(320, 'The log-in at the mail server'),
  dkim_domain: Type.Optional(
    nullable(
      Type.String({
        maxLength: 189,
        ...explainedPattern(
          String.raw`^([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z0-9-]+$`,
          'must be a domain, such as shop.example',
        ),
        description: 'The domain that signs outgoing mails (DKIM); null: mails are not signed',
      }),
    ),
  ),
  dkim_selector: Type.Optional(
    nullable(
      Type.String({
        maxLength: 63,
        ...explainedPattern('^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$', 'must have letters, digits and hyphens only'),
        description: 'The selector: the public key is in the TXT record <selector>._domainkey.<domain>',
      }),
    ),
  ),
};

const body = plain.strict('Settings of the channel EMAIL (an addition)', {
  ...PROPERTIES,
  password: Type.String({
    minLength: 1,
    maxLength: 1024,
    description: 'The password at the mail server; stored encrypted, shown masked',
  }),
  smtp_username: Type.Optional(nullable(visible(320, 'The log-in at the SMTP server, if it differs'))),
  smtp_password: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'The password at the SMTP server; stored encrypted, shown masked',
      }),
    ),
  ),
  dkim_private_key: Type.Optional(
    nullable(Type.String({ minLength: 1, maxLength: 8_192, description: 'The private RSA key in PEM format' })),
  ),
  hook_secret: Type.Optional(
    nullable(
      Type.String({
        ...explainedPattern(
          String.raw`^(••••.{0,4}|[\x21-\x7e]{24,200})$`,
          'must have 24 to 200 visible ASCII characters without spaces',
        ),
        description:
          'What a mail server sends as x-hook-secret when it pushes mails to /hooks/email/<id of the inbox>; null: pushing is disabled',
      }),
    ),
  ),
});
export type EmailConfig = Static<typeof body>;

const MASKED = { description: 'Masked: never the secret itself' };

export const emailSettings: ChannelSettings<EmailConfig> = {
  field: 'email_config',
  body,
  record: plain.object('Settings of the channel EMAIL (an addition)', {
    ...PROPERTIES,
    password: Type.String(MASKED),
    smtp_username: Type.Optional(nullable(plain.text('The log-in at the SMTP server, if it differs'))),
    smtp_password: Type.Optional(nullable(Type.String(MASKED))),
    hook_secret: Type.Optional(nullable(Type.String(MASKED))),
    dkim_private_key: Type.Optional(nullable(Type.String(MASKED))),
  }),
  secrets: ['password', 'smtp_password', 'hook_secret', 'dkim_private_key'],
  ownSecrets: ['hook_secret', 'dkim_private_key'],
  // A log-in at a server proves that the mailbox is the tenant's. Any tenant can write any mail address. A log-in that only sends may send for several
  // mailboxes, each of which takes what is pushed with its own secret.
  address: ({ username, imap_url, smtp_username, smtp_url, address: mailbox }) =>
    imap_url
      ? `${username.toLowerCase()} ${nameServer(imap_url)}`
      : `${mailbox.toLowerCase()} by ${(smtp_username ?? username).toLowerCase()} ${nameServer(smtp_url)}`,
  account: () => null,
  targets: ({ smtp_url, imap_url }) => [
    { path: 'smtp_url', url: smtp_url },
    ...(imap_url ? [{ path: 'imap_url', url: imap_url }] : []),
  ],
  findFault: (config) => {
    if (!config.imap_url && !config.hook_secret)
      return { path: 'imap_url', message: 'is required, unless hook_secret is set to push mails' };
    return config.smtp_username && config.smtp_password === null
      ? { path: 'smtp_password', message: 'is required with smtp_username' }
      : findDkimFault(config);
  },
  // Making the key takes a while, and only tests need it.
  get sample() {
    return (sample ??= makeSample());
  },
};

let sample: EmailConfig | undefined;

function makeSample(): EmailConfig {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 });
  return {
    address: 'Support@shop.example',
    from_name: 'The shop',
    signature: '{{user.name}}\nThe shop',
    smtp_url: 'smtps://127.0.0.1:9',
    imap_url: 'imaps://127.0.0.1:9',
    username: 'support@shop.example',
    password: 'a-password-of-the-mailbox-1234',
    smtp_username: null,
    smtp_password: 'a-password-to-send-5678',
    hook_secret: 'a-secret-of-the-mail-server-9012',
    dkim_domain: 'shop.example',
    dkim_selector: 'parley',
    dkim_private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).trim(),
  };
}
