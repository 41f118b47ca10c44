export type Post = { url: string; headers: Record<string, string>; body: string };

/** Failure policy: null when nobody answers; the caller posts again. */
export async function postOnce({ url, headers, body }: Post): Promise<number | null> {
  try {
    const response = await fetch(url, { method: 'POST', headers, body });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null;
  }
}
