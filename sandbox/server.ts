import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeAnswer } from './exchange.ts';
import { handleControl } from './control.ts';
import { handleGraph } from './graph.ts';
import { errorAnswer } from './graph-errors.ts';
import { isForeign } from './loopback.ts';
import { readPage } from './pages.ts';
import { receive } from './receiver.ts';
import { createSandbox, type Config, type Sandbox } from './state.ts';

/** Starts the sandbox; resolves when it listens. */
export async function startServer(config: Config): Promise<{ sandbox: Sandbox; server: Server }> {
  const sandbox = createSandbox(config);
  const server = createServer((req, res) => {
    dispatch(sandbox, req, res).catch((error: unknown) => {
      // Failure policy: an error of the sandbox itself is answered 500 to this one caller and written to stderr; the sandbox continues.
      process.stderr.write(
        `sandbox: ${req.method} ${req.url}: ${String(error instanceof Error ? error.stack : error)}\n`,
      );
      if (!res.headersSent) writeAnswer(res, errorAnswer({ code: 131000, details: 'The sandbox itself failed.' }));
      else res.destroy();
    });
  });
  // Some tests want a receiver that hangs; the client decides how long it waits.
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  const { address, port, family } = server.address() as AddressInfo;
  sandbox.url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  return { sandbox, server };
}

async function dispatch(sandbox: Sandbox, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const url = req.url ?? '/';
  if (url.startsWith('/receiver/')) return receive(sandbox, req, res);
  const [path = url] = url.split('?', 1);
  if (path === '/receiver' && req.method !== 'GET') return receive(sandbox, req, res);
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
  if (req.method === 'GET') {
    const page = await findPage(path);
    if (page !== undefined) return writeAnswer(res, page);
  }
  return handleGraph(sandbox, req, res);
}

const PAGE = /^\/(phone|receiver)?$|^\/pages\//;

const findPage = (path: string): ReturnType<typeof readPage> =>
  PAGE.test(path) ? readPage(path) : Promise.resolve(undefined);
