/** The first messages of the campaign, as their contacts will read them. */
import type { Campaign } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useCampaignPreview } from '../../../records/campaigns.ts';
import { useTexts } from '../../../texts/texts.ts';
import { MessagePreview } from '../../../ui/templates/message-preview.tsx';
import { WIZARD } from './texts.ts';
import styles from './wizard.module.css';

/** As many as somebody compares. */
const SHOWN = 4;

export function FirstMessages({ campaign }: { campaign: Campaign }): ReactElement | null {
  const texts = useTexts(WIZARD);
  const { data: preview } = useCampaignPreview(campaign);
  if (!preview || preview.messages.length === 0) return null;
  return (
    <section>
      <h3>{texts.firstMessages}</h3>
      <ul className={styles['messages']}>
        {preview.messages.slice(0, SHOWN).map(({ contact, name, phone_number, content, error }) => (
          <li key={contact}>
            <p className={styles['note']}>{name ?? phone_number}</p>
            {content === null ? <p className={styles['problem']}>{error}</p> : <MessagePreview text={content} />}
          </li>
        ))}
      </ul>
    </section>
  );
}
