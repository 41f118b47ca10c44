/** Shows the QR code by which a phone is paired with an inbox, until one is. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactElement } from 'react';
import { parley } from '../../../client.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Failure, Loading } from '../../../ui/state.tsx';
import { showError } from '../../../ui/toast.tsx';
import { showInbox } from '../../../records/inboxes.ts';
import styles from '../inboxes.module.css';
import { GATEWAY } from './texts.ts';

/** The gateway makes a new code after some 20 seconds. */
const ASK_AGAIN_MS = 5_000;

export function Pairing({ inbox }: { inbox: string }): ReactElement {
  const texts = useTexts(GATEWAY);
  const { data, error } = useQuery({
    queryKey: ['pairing', inbox],
    queryFn: ({ signal }) => parley.inboxes.pair(inbox, { signal }),
    // A code that was shown before is of no use.
    gcTime: 0,
    refetchInterval: ({ state }) => (state.data?.state === 'CONNECTED' ? false : ASK_AGAIN_MS),
  });
  const isPaired = data?.state === 'CONNECTED';
  useEffect(() => {
    if (isPaired) parley.inboxes.get(inbox).then(showInbox, showError);
  }, [isPaired, inbox]);
  if (!data) return error ? <Failure error={error} /> : <Loading />;
  if (isPaired) return <p>{texts.paired}</p>;
  if (data.state !== 'WAITING')
    return (
      <p>
        {texts.noCode} {data.error}
      </p>
    );
  return (
    <>
      <p>{texts.pairLead}</p>
      {data.picture === null ? <p>{texts.waiting}</p> : <Picture url={data.picture} label={texts.qrCode} />}
      {data.code !== null && <p>{texts.typedCode(data.code)}</p>}
    </>
  );
}

/** The page may show pictures of its own making, and none that come inside a URL. */
function Picture({ url, label }: { url: string; label: string }): ReactElement | null {
  const [source, setSource] = useState<string | null>(null);
  useEffect(() => {
    const own = URL.createObjectURL(toBlob(url));
    setSource(own);
    return () => URL.revokeObjectURL(own);
  }, [url]);
  return source === null ? null : <img className={styles['qrCode']} src={source} alt={label} />;
}

function toBlob(url: string): Blob {
  const [head = '', data = ''] = url.split(',', 2);
  const bytes = Uint8Array.from(atob(data), (character) => character.codePointAt(0) ?? 0);
  return new Blob([bytes], { type: head.replace(/^data:/, '').replace(/;.*$/, '') });
}
