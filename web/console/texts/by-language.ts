/** Makes a list for a language once, because `Intl` needs many milliseconds for hundreds of names. */
export function findByLanguage<T>(make: (language: string) => T): (language: string) => T {
  const made = new Map<string, T>();
  return (language) => {
    const list = made.get(language) ?? make(language);
    made.set(language, list);
    return list;
  };
}
