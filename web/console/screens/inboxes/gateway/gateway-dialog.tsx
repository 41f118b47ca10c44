/** The instance of a gateway. The platform asks the gateway for it. */
import type { ReactElement } from 'react';
import { useTexts } from '../../../texts/texts.ts';
import { ChannelConfigDialog, type ChannelDialogProps } from '../channel-config-dialog.tsx';
import { GATEWAY } from './texts.ts';

const EMPTY = { base_url: '', instance_name: '', api_key: '' };

export function GatewayDialog(props: ChannelDialogProps): ReactElement {
  const texts = useTexts(GATEWAY);
  const { inbox } = props;
  return (
    <ChannelConfigDialog
      {...props}
      title={inbox ? texts.changeTitle : texts.title}
      texts={texts}
      channel="PARTNER_API"
      configKey="partner_api_config"
      fields={{
        base_url: { type: 'url', placeholder: 'https://gateway.shop.example' },
        instance_name: {},
        api_key: { type: 'password', hint: texts.api_keyHint },
      }}
      filled={inbox?.partner_api_config ?? EMPTY}
      makeBody={(partner_api_config) => ({ partner_api_config })}
    />
  );
}
