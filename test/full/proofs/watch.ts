/** Collects secrets, and finds them in any text: as plain text, in hex, or in base64 at any offset. */
export interface SecretWatch {
  /** Adds a secret and returns it, so that the caller can use it at once. */
  add(name: string, value: string): string;
  /** Adds a signed token, of which only the signature is secret. Returns the token. */
  addToken(name: string, token: string): string;
  count(): number;
  /** Searches a text; `mayShow` lists the secrets that may appear in it. */
  search(where: string, text: string, mayShow?: string[]): void;
  /** Each secret that was seen where it does not belong. */
  found(): string[];
}

// The most findings that are returned, because more would only repeat the first ones.
const SHOWN = 10;

export function createSecretWatch(): SecretWatch {
  const names = new Map<string, string>();
  const spelled = new Map<string, string>();
  const found = new Set<string>();
  let pattern = /(?!)/g;
  const add: SecretWatch['add'] = (name, value) => {
    names.set(value, name);
    for (const spelling of listSpellings(value)) spelled.set(spelling, value);
    // Escapes the characters that base64 may contain besides letters and digits.
    const texts = [...spelled.keys()].map((spelling) => spelling.replaceAll(/[+/.$]/g, String.raw`\$&`));
    pattern = new RegExp(texts.join('|'), 'g');
    return value;
  };
  return {
    add,
    addToken: (name, token) => {
      add(name, token.split('.')[2] ?? '');
      return token;
    },
    count: () => names.size,
    search: (where, text, mayShow = []) => {
      for (const [spelling] of text.matchAll(pattern)) {
        const value = spelled.get(spelling) ?? '';
        if (!mayShow.some((one) => one.includes(value))) found.add(`${names.get(value)} in ${where}`);
      }
    },
    found: () => [...found].slice(0, SHOWN),
  };
}

/**
 * Lists the spellings of a secret. In base64 three bytes become four characters, so a text has
 * three possible encodings, whose first and last characters depend on the neighbouring bytes.
 */
function listSpellings(value: string): string[] {
  const bytes = Buffer.from(value);
  const cores = [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replaceAll('=', '')
      .slice(offset === 0 ? 0 : 4, -1),
  );
  const urls = cores.map((core) => core.replaceAll('+', '-').replaceAll('/', '_'));
  return [...new Set([value, bytes.toString('hex'), bytes.toString('hex').toUpperCase(), ...cores, ...urls])];
}
