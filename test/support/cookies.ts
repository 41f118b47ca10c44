/** A browser that sends requests of the platform's own pages, and keeps the cookies that it is given. */
import { FROM_PAGE } from './people.ts';
import type { Answer, Platform } from './platform.ts';

export interface Jar {
  cookies: Map<string, string>;
  send(status: number, method: string, path: string, options?: { body?: object; key?: string }): Promise<Answer>;
}

export function createJar({ call }: Pick<Platform, 'call'>): Jar {
  const cookies = new Map<string, string>();
  return {
    cookies,
    async send(status, method, path, { body, key } = {}) {
      const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
      const headers = { ...FROM_PAGE, ...(cookie && { cookie }) };
      const answer = await call(status, method, path, { key: key ?? null, headers, ...(body && { body }) });
      for (const given of answer.headers.getSetCookie()) {
        const [pair = ''] = given.split(';');
        const at = pair.indexOf('=');
        cookies.set(pair.slice(0, at), pair.slice(at + 1));
      }
      return answer;
    },
  };
}
