/** The form for the data with which a channel connects an inbox to its network. */
import type { Inbox } from '@parley/sdk';
import type { ReactElement } from 'react';
import type { ChannelDialogProps } from './channel-config-dialog.tsx';
import { CredentialsDialog } from './credentials-dialog.tsx';
import { GatewayDialog } from './gateway/gateway-dialog.tsx';
import { MailboxDialog } from './mailbox/mailbox-dialog.tsx';

interface ChannelFormProps extends ChannelDialogProps {
  channel: Inbox['channel'];
  title: string;
}

export function ChannelForm({ channel, title, ...props }: ChannelFormProps): ReactElement {
  if (channel === 'EMAIL') return <MailboxDialog {...props} />;
  if (channel === 'PARTNER_API') return <GatewayDialog {...props} />;
  return <CredentialsDialog title={title} {...props} />;
}
