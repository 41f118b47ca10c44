/** What the start of a campaign would do now: to how many it sends, and how many it skips and why. */
import type { Campaign } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useCampaignPreview } from '../../../records/campaigns.ts';
import { formatMoment, formatNumber } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { SkippedList } from './audience-count.tsx';
import { WIZARD } from './texts.ts';
import styles from './wizard.module.css';

export function StartLead({ campaign }: { campaign: Campaign }): ReactElement {
  const texts = useTexts(WIZARD);
  const { data: preview } = useCampaignPreview(campaign);
  const count = preview ? formatNumber(preview.sendable) : '…';
  const { scheduled_at: at } = campaign;
  return (
    <>
      {preview?.sendable === 0 && (
        <strong className={styles['warning']} role="alert">
          {texts.reachesNobody}
        </strong>
      )}
      {preview?.sendable !== 0 && (at === null ? texts.startLead(count) : texts.scheduleLead(count, formatMoment(at)))}
      {preview && <SkippedList skipped={preview.skipped} />}
    </>
  );
}
