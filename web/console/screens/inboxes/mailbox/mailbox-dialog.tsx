/** The servers and the log-in of a mailbox. The platform logs in at both servers. */
import type { ReactElement } from 'react';
import { useTexts } from '../../../texts/texts.ts';
import { ChannelConfigDialog, type ChannelDialogProps } from '../channel-config-dialog.tsx';
import { MAILBOX } from './texts.ts';

const EMPTY = { address: '', from_name: '', imap_url: '', smtp_url: '', username: '', password: '' };

export function MailboxDialog(props: ChannelDialogProps): ReactElement {
  const texts = useTexts(MAILBOX);
  const { inbox } = props;
  const config = inbox?.email_config;
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
        imap_url: { type: 'url', placeholder: 'imaps://imap.shop.example' },
        smtp_url: { type: 'url', placeholder: 'smtps://smtp.shop.example', hint: texts.smtp_urlHint },
        username: { hint: texts.usernameHint },
        password: { type: 'password' },
      }}
      filled={config ? { ...config, from_name: config.from_name ?? '', imap_url: config.imap_url ?? '' } : EMPTY}
      makeBody={({ from_name, imap_url, ...values }) => ({
        email_config: { ...values, from_name: from_name.trim() || null, imap_url: imap_url.trim() || null },
      })}
    />
  );
}
