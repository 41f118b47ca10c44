/** Reads the memory of another process through Node's inspector, right after a garbage collection. */
import { once } from 'node:events';

export interface Inspector {
  call(method: string, params?: object): Promise<unknown>;
  close(): void;
}

/** Connects to the inspector of a process that was started with --inspect=127.0.0.1:<port>. */
export async function openInspector(port: number): Promise<Inspector> {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
    webSocketDebuggerUrl: string;
  }[];
  if (!target) throw new Error('the process has no inspector');
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await once(socket, 'open');
  const answers = new Map<number, (result: unknown) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: unknown };
    answers.get(id)?.(result);
    answers.delete(id);
  });
  let last = 0;
  return {
    call: (method, params = {}) => {
      last += 1;
      const id = last;
      socket.send(JSON.stringify({ id, method, params }));
      return new Promise((resolve) => answers.set(id, resolve));
    },
    close: () => socket.close(),
  };
}

/** Returns the kilobytes that the process holds in its heap and in buffers, after a garbage collection. */
export async function measureHeldKb({ call }: Inspector): Promise<number> {
  // The second collection waits until the buffers are freed that the first one has found.
  for (let time = 0; time < 2; time += 1) await call('HeapProfiler.collectGarbage');
  const expression = 'const { heapUsed, external } = process.memoryUsage(); (heapUsed + external) / 1024';
  const answer = (await call('Runtime.evaluate', { expression: `{ ${expression} }`, returnByValue: true })) as {
    result: { value: number };
  };
  return answer.result.value;
}
