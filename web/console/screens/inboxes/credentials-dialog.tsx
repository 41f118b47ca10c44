/** The number and credentials of an inbox on the network itself. */
import type { ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { ChannelConfigDialog, type ChannelDialogProps } from './channel-config-dialog.tsx';
import { CREDENTIALS } from './texts.ts';

/** In the order in which the network's dashboard shows them. */
const FIELDS = { phone_number_id: {}, waba_id: {}, business_id: {}, business_token: {} };

export function CredentialsDialog({ title, ...props }: ChannelDialogProps & { title: string }): ReactElement {
  const { phone_number_id = '', waba_id = '', business_id = '', business_token } = props.inbox?.api_wap_config ?? {};
  return (
    <ChannelConfigDialog
      {...props}
      title={title}
      texts={useTexts(CREDENTIALS)}
      channel="WAP_AUTO_CLOSER"
      configKey="api_wap_config"
      fields={FIELDS}
      filled={{ phone_number_id, waba_id, business_id, business_token: business_token ?? '' }}
      makeBody={(api_wap_config) => ({ api_wap_config })}
    />
  );
}
