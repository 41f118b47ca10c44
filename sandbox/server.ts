import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeAnswer } from './exchange.ts';
import { handleControl } from './control.ts';
import { handleGateway } from './gateway/gateway.ts';
import { handleGraph } from './graph.ts';
import { handleNetwork } from './network/network.ts';
import { NETWORK_API_KEY } from './network/state.ts';
import { makeErrorAnswer } from './graph-errors.ts';
import { isForeign } from './loopback.ts';
import { startMail, type RunningMail } from './mail/servers.ts';
import type { MailServers } from './mail/state.ts';
import { LOG_IN, readPage } from './pages.ts';
import { receiveDelivery } from './receiver.ts';
import { createSandbox, resetSandbox, type Config, type Sandbox } from './state.ts';

export type RunningServer = {
  url: string;
  mail: MailServers;
  /** The settings of the platform that lead to the networks here. */
  variables: Record<string, string>;
  /** Ends the sandbox in a process that goes on. A timer that is still running afterwards does nothing. */
  stop: () => Promise<void>;
};

/** Starts the sandbox and resolves when it listens. */
export async function startServer(config: Config): Promise<RunningServer> {
  const sandbox = createSandbox(config);
  const server = createServer((req, res) => {
    dispatch(sandbox, req, res).catch((error: unknown) => {
      // Failure policy: an error of the sandbox itself is answered 500 to this one caller and written to stderr; the sandbox continues.
      process.stderr.write(
        `sandbox: ${req.method} ${req.url}: ${String(error instanceof Error ? error.stack : error)}\n`,
      );
      if (!res.headersSent) writeAnswer(res, makeErrorAnswer({ code: 131000, details: 'The sandbox itself failed.' }));
      else res.destroy();
    });
  });
  // Some tests need a receiver that never answers, so the server itself ends no request.
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  const { address, port, family } = server.address() as AddressInfo;
  sandbox.url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  const { stop: stopMail, ...mail } = await startMail(sandbox, config.host, port);
  sandbox.mailServers = mail;
  const stop = () => stopServers(sandbox, server, stopMail);
  return { url: sandbox.url, mail, variables: listVariables(sandbox), stop };
}

const listVariables = ({ url, config: { appSecret, verifyToken } }: Sandbox): Record<string, string> => ({
  WAP_GRAPH_URL: url,
  WAP_APP_SECRET: appSecret,
  WAP_VERIFY_TOKEN: verifyToken,
  NETWORK_API_URL: `${url}/network`,
  NETWORK_API_KEY,
  // The platform gives it to the network, which forgets it together with everything else.
  NETWORK_HOOK_SECRET: randomBytes(32).toString('base64url'),
});

async function stopServers(sandbox: Sandbox, server: Server, stopMail: RunningMail['stop']): Promise<void> {
  const { agent } = sandbox.graph.notifier;
  resetSandbox(sandbox);
  const closed = once(server.close(), 'close');
  server.closeAllConnections();
  await Promise.all([closed, agent.destroy(), stopMail()]);
}

async function dispatch(sandbox: Sandbox, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const url = req.url ?? '/';
  if (url.startsWith('/receiver/')) return receiveDelivery(sandbox, req, res);
  const [path = url] = url.split('?', 1);
  if (path === '/receiver' && req.method !== 'GET') return receiveDelivery(sandbox, req, res);
  if (req.headers['x-webhook-event'] !== undefined) {
    return writeAnswer(res, { status: 403, body: { error: 'Webhooks are received under /receiver only.' } });
  }
  const isControl = url.startsWith('/sandbox/');
  if (isControl && isForeign(req)) {
    return writeAnswer(res, {
      status: 403,
      body: { error: 'The control API answers this machine and its own pages only.' },
    });
  }
  if (isControl) return handleControl(sandbox, req, res);
  if (url.startsWith('/gateway/')) return handleGateway(sandbox, req, res);
  const isPage = req.method === 'GET' && (PAGE.test(path) || LOG_IN.test(path));
  if (url.startsWith('/network/') && !isPage) return handleNetwork(sandbox, req, res);
  if (isPage) {
    const page = await readPage(path, sandbox.graph.settings.chat);
    if (page !== undefined) return writeAnswer(res, page);
  }
  return handleGraph(sandbox, req, res);
}

const PAGE = /^\/(phone|receiver|demo)?$|^\/pages\//;
