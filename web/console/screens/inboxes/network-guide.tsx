/** What has to be set at the network before an inbox of it can be connected. */
import type { ReactElement } from 'react';
import { toPlatformAddress } from '../../client.ts';
import { CHANNEL_NAMES } from '../../texts/channels.ts';
import { useTexts } from '../../texts/texts.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import styles from './inboxes.module.css';
import { GUIDE } from './texts.ts';

/** The fields of the network's webhooks that the platform reads. */
const FIELDS = [
  'messages',
  'message_template_status_update',
  'message_template_quality_update',
  'message_template_components_update',
  'template_category_update',
  'phone_number_quality_update',
  'business_capability_update',
  'account_update',
];
const COEXISTENCE_FIELDS = ['smb_message_echoes', 'history'];

export function NetworkGuide(): ReactElement {
  const texts = useTexts(GUIDE);
  return (
    <>
      <p>{texts.channel(CHANNEL_NAMES.WAP_AUTO_CLOSER)}</p>
      <ol className={styles['steps']}>
        <li>{texts.openApp}</li>
        <li>
          {texts.setCallback}
          <CopyField label={texts.callback} value={toPlatformAddress('hooks/wap')} hint={texts.callbackHint} />
          <p className={styles['hint']}>{texts.verifyToken}</p>
        </li>
        <li>
          {texts.subscribe}
          <p className={styles['codes']}>
            {FIELDS.map((field) => (
              <code key={field}>{field}</code>
            ))}
          </p>
          <p className={styles['hint']}>{texts.coexistence}</p>
          <p className={styles['codes']}>
            {COEXISTENCE_FIELDS.map((field) => (
              <code key={field}>{field}</code>
            ))}
          </p>
        </li>
        <li>{texts.makeToken}</li>
      </ol>
    </>
  );
}
