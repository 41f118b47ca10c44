/** How far a replay of the deliveries of a period is, and the way to stop it. */
import type { DeliveryReplay } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { parley } from '../../client.ts';
import { formatMoment, formatNumber } from '../../texts/formats.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Details } from '../../ui/details.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showError } from '../../ui/toast.tsx';
import { EVENT_TITLES } from './event-texts.ts';
import { REPLAY } from './replay-texts.ts';
import { showReplayRun } from './replays.ts';
import { WEBHOOK } from './texts.ts';
import styles from './webhook.module.css';

interface ReplayProgressProps {
  replay: DeliveryReplay;
  onClose(): void;
}

export function ReplayProgress({ replay, onClose }: ReplayProgressProps): ReactElement {
  const texts = useTexts(REPLAY);
  const words = useTexts(WEBHOOK);
  const common = useTexts(COMMON);
  const titles = useTexts(EVENT_TITLES);
  const stop = useMutation({
    mutationFn: () => parley.webhooks.cancelReplay(replay._id),
    onSuccess: showReplayRun,
    onError: showError,
  });
  const { status, total, processed, replayed, event, delivery_status, from, to } = replay;
  const isRunning = status === 'RUNNING';
  const progress = texts.progress(formatNumber(processed), formatNumber(total));
  return (
    <Dialog
      title={texts.title}
      onClose={onClose}
      actions={
        <>
          {isRunning ? (
            <Button kind="danger" isBusy={stop.isPending} onClick={() => stop.mutate()}>
              {texts.stop}
            </Button>
          ) : (
            <Button onClick={() => showReplayRun(null)}>{texts.another}</Button>
          )}
          <Button kind="primary" onClick={onClose}>
            {common.close}
          </Button>
        </>
      }
    >
      <progress className={styles['bar']} aria-label={progress} max={total || 1} value={total === 0 ? 1 : processed} />
      <p role="status">{isRunning ? progress : texts[status](formatNumber(replayed), formatNumber(total))}</p>
      {isRunning && <p className={styles['hint']}>{texts.goesOn}</p>}
      <Details
        layout="lines"
        items={[
          [words.status, words[delivery_status]],
          [words.event, event === null ? words.allEvents : titles[event]],
          [texts.from, formatMoment(from)],
          [texts.to, formatMoment(to)],
        ]}
      />
    </Dialog>
  );
}
