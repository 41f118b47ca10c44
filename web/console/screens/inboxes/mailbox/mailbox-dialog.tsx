/** How mails arrive at a mailbox and leave it: its servers and its log-in, which the platform checks. */
import type { ReactElement } from 'react';
import { useTexts } from '../../../texts/texts.ts';
import { ChannelConfigDialog, type ChannelDialogProps } from '../channel-config-dialog.tsx';
import { makeSecret } from '../web-chat/draft.ts';
import { MAILBOX } from './texts.ts';

const EMPTY = { address: '', smtp_url: '', username: '', password: '' };
/** Whether the platform reads the mailbox, or a mail server hands over each mail. */
const READ = 'READ';
const PUSHED = 'PUSHED';

export function MailboxDialog(props: ChannelDialogProps): ReactElement {
  const texts = useTexts(MAILBOX);
  const { inbox } = props;
  const config = inbox?.email_config;
  const isPushed = config !== undefined && !config.imap_url;
  return (
    <ChannelConfigDialog
      {...props}
      title={inbox ? texts.changeTitle : texts.title}
      texts={texts}
      channel="EMAIL"
      configKey="email_config"
      fields={{
        address: { type: 'email', placeholder: 'support@shop.example' },
        from_name: { hint: texts.from_nameHint },
        signature: { rows: 3, hint: texts.signatureHint },
        arrival: {
          options: [
            { value: READ, label: texts.read },
            { value: PUSHED, label: texts.pushed },
          ],
        },
        imap_url: {
          type: 'url',
          placeholder: 'imaps://imap.shop.example',
          isAsked: ({ arrival }) => arrival === READ,
        },
        hook_secret: { hint: texts.hook_secretHint, isAsked: ({ arrival }) => arrival === PUSHED },
        smtp_url: { type: 'url', placeholder: 'smtps://smtp.shop.example', hint: texts.smtp_urlHint },
        username: { hint: texts.usernameHint },
        password: { type: 'password' },
      }}
      filled={{
        ...(config ?? EMPTY),
        from_name: config?.from_name ?? '',
        signature: config?.signature ?? '',
        arrival: isPushed ? PUSHED : READ,
        imap_url: config?.imap_url ?? '',
        hook_secret: config?.hook_secret ?? makeSecret(),
      }}
      makeBody={({ from_name, signature, arrival, imap_url, hook_secret, ...values }) => ({
        email_config: {
          ...values,
          from_name: from_name.trim() || null,
          signature: signature.trim() || null,
          imap_url: arrival === READ ? imap_url.trim() || null : null,
          hook_secret: arrival === PUSHED ? hook_secret.trim() : (config?.hook_secret ?? null),
        },
      })}
    />
  );
}
