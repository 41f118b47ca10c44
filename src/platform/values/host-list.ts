/** Returns one URL for each host of a URL such as `postgres://user@h1:5432,h2:5432/parley`. */
export function splitHosts(url: string): string[] {
  const [, before = '', hosts = '', after = ''] = /^([^/]*\/\/(?:[^@/]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? [];
  return hosts.split(',').map((host) => `${before}${host}${after}`);
}
