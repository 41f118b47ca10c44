/** How many contacts the campaign would reach at this moment, and why the others would be skipped. */
import type { Campaign, CampaignPreview } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useCampaignPreview } from '../../../records/campaigns.ts';
import { formatNumber } from '../../../texts/formats.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Failure, Loading } from '../../../ui/state.tsx';
import { SKIP_REASONS } from '../texts.ts';
import { WIZARD } from './texts.ts';
import styles from './wizard.module.css';

export function AudienceCount({ campaign }: { campaign: Campaign }): ReactElement | null {
  const texts = useTexts(WIZARD);
  const { data: preview, error, isLoading } = useCampaignPreview(campaign);
  if (error) return <Failure error={error} />;
  // Who may not read contacts is not told how many there are.
  if (!preview) return isLoading ? <Loading /> : null;
  return (
    <section className={styles['count']} aria-label={texts.reach}>
      <p role="status">
        <strong>{texts.reached(formatNumber(preview.sendable))}</strong> {texts.ofAll(formatNumber(preview.total))}
      </p>
      {preview.total > 0 && preview.sendable === 0 && <p className={styles['warning']}>{texts.reachesNobody}</p>}
      <SkippedList skipped={preview.skipped} />
    </section>
  );
}

/** How many are skipped for each reason. */
export function SkippedList({ skipped }: Pick<CampaignPreview, 'skipped'>): ReactElement | null {
  const texts = useTexts(WIZARD);
  const reasons = useTexts(SKIP_REASONS);
  if (skipped.length === 0) return null;
  return (
    <ul>
      {skipped.map(({ reason, count, message }) => (
        <li key={reason}>
          {texts.skipped(formatNumber(count), reasons[reason])}
          {message !== null && <> ({message})</>}
        </li>
      ))}
    </ul>
  );
}
