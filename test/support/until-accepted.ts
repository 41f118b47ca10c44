/** Requests that are sent again while the platform is overloaded, as every client does: a 503 promises that nothing was created. */
import { setTimeout as sleep } from 'node:timers/promises';

interface Repeats {
  /** How often a request is sent again at most. */
  most?: number;
  /** Gets the text of each answer that is not taken. */
  onRefusal?(text: string): void;
}

/** Fetches, and while the answer is 503, again after the seconds that the answer asks to wait. */
export async function fetchUntilAccepted(
  url: string | URL,
  ask: () => RequestInit = () => ({}),
  { most = Number.POSITIVE_INFINITY, onRefusal }: Repeats = {},
): Promise<Response> {
  for (let repeats = 0; ; repeats += 1) {
    const answer = await fetch(url, ask());
    if (answer.status !== 503 || repeats >= most) return answer;
    onRefusal?.(await answer.text());
    await sleep(1_000 * Number(answer.headers.get('retry-after') ?? 1));
  }
}
