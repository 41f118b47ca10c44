/** Asks the user whether an app may act for them. The app has opened this page, and gets the answer in the address that follows. */
import type { AppRequested } from '@parley/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useCompany } from '../../records/company.ts';
import { CardPage } from '../../session/card-page.tsx';
import { logOut, useSession } from '../../session/session.ts';
import { APP_ACCESS } from '../../texts/app-access.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Details } from '../../ui/details.tsx';
import { explainError, explainField } from '../../ui/problem.ts';
import { Failure, Loading } from '../../ui/state.tsx';
import { useTitle } from '../../ui/title.ts';
import styles from './connect.module.css';
import { CONNECT } from './texts.ts';

type App = NonNullable<AppRequested['app']>;
type Access = App['access'][number];

const readRequest = (): string => location.search.slice(1);
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** The name is foreign text, which must not change the direction of the sentence around it. */
const isolate = (name: string): string => `\u2068${name}\u2069`;

/** Such a client is described by the site at this address, so the site vouches for its name. */
const isAddress = (clientId: string): boolean => clientId.startsWith('https://');

export function ConnectPage(): ReactElement {
  const texts = useTexts(CONNECT);
  useTitle(texts.title);
  const request = readRequest();
  const { user } = useSession();
  const { data, error } = useQuery({
    queryKey: ['connect', user._id, request],
    queryFn: () => parley.connectedApps.preview({ request }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <CardPage isWide>
      {error && <Failure error={explainRefusal(error, texts.refused)} />}
      {!error && !data && <Loading />}
      {data?.app && <Consent app={data.app} deniedTo={data.redirect_to} request={request} />}
      {data && !data.app && <WrongRequest leadsTo={data.redirect_to} />}
    </CardPage>
  );
}

function explainRefusal(error: unknown, explain: (reason: string) => string): unknown {
  const reason = explainField(error, 'request');
  return reason === null ? error : explain(reason);
}

/** The page does not leave by itself, because anybody can register an address to which it would lead. */
function WrongRequest({ leadsTo }: { leadsTo: string }): ReactElement {
  const texts = useTexts(CONNECT);
  return (
    <>
      <p role="alert">{texts.wrong}</p>
      <Button onClick={() => location.replace(leadsTo)}>{texts.goBack(new URL(leadsTo).host)}</Button>
    </>
  );
}

interface ConsentProps {
  app: App;
  deniedTo: string;
  request: string;
}

function Consent({ app, deniedTo, request }: ConsentProps): ReactElement {
  const texts = useTexts(CONNECT);
  const { user } = useSession();
  const company = useCompany();
  const [access, choose] = useState<Access>('READ');
  const [isLeaving, setLeaving] = useState(false);
  const leave = (address: string): void => {
    setLeaving(true);
    location.replace(address);
  };
  const connect = useMutation({
    mutationFn: () => parley.connectedApps.create({ request, access }),
    onSuccess: ({ redirect_to }) => leave(redirect_to ?? deniedTo),
  });
  const place = LOOPBACK.test(app.host) ? texts.thisComputer(app.host) : app.host;
  if (isLeaving) return <p role="status">{texts.returning(app.host)}</p>;
  return (
    <>
      <h1 className={styles['question']}>{texts.question(isolate(app.name))}</h1>
      <Details
        layout="lines"
        items={[
          [texts.goesTo, place],
          isAddress(app.client_id) && [texts.describedAt, new URL(app.client_id).host],
          [texts.company, company?.name],
          [
            texts.you,
            <span key="you" className={styles['you']}>
              {user.name} · {user.email}{' '}
              <button type="button" className={styles['other']} onClick={() => void logOut()}>
                {texts.otherUser}
              </button>
            </span>,
          ],
        ]}
      />
      <p className={styles['warning']}>{texts.warning}</p>
      <AccessChoice offered={app.access} chosen={access} onChoose={choose} />
      <p className={styles['meaning']}>{texts.meaning}</p>
      {connect.error && (
        <p className={styles['error']} role="alert">
          {explainError(explainRefusal(connect.error, texts.refused))}
        </p>
      )}
      <div className={styles['actions']}>
        <Button onClick={() => leave(deniedTo)}>{texts.deny}</Button>
        <Button kind="primary" isBusy={connect.isPending} onClick={() => connect.mutate()}>
          {texts.allow}
        </Button>
      </div>
    </>
  );
}

interface AccessChoiceProps {
  offered: readonly Access[];
  chosen: Access;
  onChoose(access: Access): void;
}

function AccessChoice({ offered, chosen, onChoose }: AccessChoiceProps): ReactElement {
  const texts = useTexts(CONNECT);
  const names = useTexts(APP_ACCESS);
  return (
    <fieldset className={styles['choice']}>
      <legend>{texts.access}</legend>
      {offered.map((access) => (
        <label key={access} className={styles['option']}>
          <input type="radio" name="access" checked={access === chosen} onChange={() => onChoose(access)} />
          <span>
            <strong>{names[access]}</strong>
            <span className={styles['hint']}>{texts[access]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
