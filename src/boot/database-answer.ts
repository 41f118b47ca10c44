/** Finds out what answers at the address of DATABASE_URL when no connection to a PostgreSQL could be made there. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { newClient } from '../platform/store/db.ts';
import { dial } from '../platform/outside/dial.ts';

/** The first message of a client that would like TLS. PostgreSQL answers it with S or N, and an old or crowded one with an error message. */
const TLS_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
/** A server that was silent while the driver waited for five seconds gets this much longer for eight bytes. */
const ANSWER_MS = 2_000;

/** Returns one sentence about what was found instead of a PostgreSQL; null when there is one, or nothing can be reached. */
export async function findOtherServer(connectionString: string): Promise<string | null> {
  const { host, port } = newClient({ connectionString });
  // A Unix socket in PostgreSQL's own folder has no other server behind it.
  if (host.startsWith('/')) return null;
  const answer = await readFirstAnswer(host, port);
  if (answer === null || isPostgres(answer)) return null;
  return `DATABASE_URL names no PostgreSQL: what listens at ${host}:${port} ${describeOther(answer)}`;
}

function describeOther(answer: Buffer | 'silent'): string {
  if (answer === 'silent') return 'accepts connections and never answers';
  if (answer.length === 0) return 'closes connections without an answer';
  return answer.toString('latin1').startsWith('HTTP/')
    ? 'is an HTTP server'
    : 'answers in another way than PostgreSQL does';
}

/** Returns the first bytes that the server sends, which are none when it closes the connection; null when there is no connection. */
async function readFirstAnswer(host: string, port: number): Promise<Buffer | 'silent' | null> {
  const socket = await openConnection(host, port);
  if (socket === null) return null;
  const signal = AbortSignal.timeout(ANSWER_MS);
  socket.write(TLS_REQUEST);
  try {
    const [bytes] = await Promise.race([
      once(socket, 'data', { signal }),
      once(socket, 'close', { signal }).then(() => [Buffer.alloc(0)]),
    ]);
    return bytes as Buffer;
  } catch {
    // Failure policy: a connection that breaks was closed without an answer.
    return signal.aborted ? 'silent' : Buffer.alloc(0);
  } finally {
    socket.destroy();
  }
}

/** Failure policy: where no connection is possible, the error of the driver says more. */
const openConnection = (host: string, port: number): Promise<Socket | null> =>
  new Promise((resolve) => {
    dial({ host, port, tls: false }, undefined, (result) => resolve(result instanceof Error ? null : result));
  });

/** The letter of an error message is followed by its length, whose first byte is 0. */
function isPostgres(answer: Buffer | 'silent'): boolean {
  if (answer === 'silent' || answer.length === 0) return false;
  const letter = String.fromCharCode(answer[0] ?? 0);
  return letter === 'E' ? answer[1] === 0 : answer.length === 1 && (letter === 'S' || letter === 'N');
}
