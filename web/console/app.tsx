/** The whole console: whoever is logged in sees the frame with its screens, anybody else the log-in. */
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { Suspense, useEffect, type ReactElement } from 'react';
import { Route, Router, Switch, useRoute } from 'wouter';
import { CONSOLE_PATH } from './client.ts';
import { queries } from './records/queries.ts';
import { Frame } from './frame/frame.tsx';
import { enter } from './session/entrance.ts';
import { readSession, useSessionState } from './session/session.ts';
import { useTexts } from './texts/texts.ts';
import { Empty, Loading } from './ui/state.tsx';
import { Button } from './ui/button.tsx';
import { LoadingPart, lazyPart } from './ui/lazy-part.tsx';
import { COMMON } from './ui/texts.ts';
import { Notices } from './ui/toast.tsx';

const LogIn = lazyPart(async () => (await import('./session/log-in.tsx')).LogIn);
const RequiredSetUp = lazyPart(async () => (await import('./session/second-factor/required.tsx')).RequiredSetUp);
const SingleSignOnReturn = lazyPart(async () => (await import('./session/single-sign-on.tsx')).SingleSignOnReturn);
const Connect = lazyPart(async () => (await import('./screens/connect/connect.tsx')).ConnectPage);

export function App(): ReactElement {
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <Router base={CONSOLE_PATH}>
          <Notices>
            <Entrance />
          </Notices>
        </Router>
      </QueryClientProvider>
    </CSPProvider>
  );
}

function Entrance(): ReactElement {
  const state = useSessionState();
  const texts = useTexts(COMMON);
  const [returns] = useRoute('/single-sign-on');
  useEffect(() => {
    const end = new AbortController();
    // A link that is opened in a tab of the console changes only this part of its address.
    window.addEventListener('hashchange', () => void enter(), { signal: end.signal });
    void enter();
    return () => end.abort();
  }, []);
  if (returns) {
    return (
      <Suspense fallback={<LoadingPart />}>
        <SingleSignOnReturn />
      </Suspense>
    );
  }
  if (state === 'UNKNOWN') return <Loading />;
  if (state === 'OUT') {
    return (
      <Suspense fallback={<LoadingPart />}>
        <LogIn />
      </Suspense>
    );
  }
  if (state === 'UNREACHABLE') {
    return (
      <Empty icon="warning" title={texts.notReachable}>
        <Button onClick={() => void readSession()}>{texts.tryAgain}</Button>
      </Empty>
    );
  }
  if (state.lacksSecondFactor) {
    return (
      <Suspense fallback={<LoadingPart />}>
        <RequiredSetUp />
      </Suspense>
    );
  }
  return (
    <Switch>
      <Route path="/connect">
        <Suspense fallback={<LoadingPart />}>
          <Connect />
        </Suspense>
      </Route>
      <Route>
        <Frame />
      </Route>
    </Switch>
  );
}
