/** Calls the door for clients of Evolution API. */
import { startPlatform, type CallOptions, type Json, type Platform } from './platform.ts';
import { silenceNetwork } from './traffic.ts';

export interface EvolutionClient {
  platform: Platform;
  /** The name of the demo inbox. */
  name: string;
  /** Calls a path below /evolution and asserts the status. */
  ask(status: number, method: string, path: string, options?: AskOptions): Promise<Json>;
}

type AskOptions = Omit<CallOptions, 'key'> & { key?: string };

export async function openEvolution(): Promise<EvolutionClient> {
  const platform = await startPlatform();
  await silenceNetwork(platform);
  const { call, demo } = platform;
  const { body: inbox } = await call(200, 'GET', `/v1/inboxes/${demo.inbox}`);
  return {
    platform,
    name: inbox.door_name,
    async ask(status, method, path, { key = demo.key, headers = {}, ...options } = {}) {
      const sent = { ...options, key: null, headers: { apikey: key, ...headers } };
      return (await call(status, method, `/evolution/${path}`, sent)).body;
    },
  };
}
