/** Returns a function that runs `make` at its first call and keeps the result. After a failure the next call runs `make` again. */
export function keepResult<T>(make: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= make().catch((error: unknown) => {
      // Failure policy: the callers that share this run get its error.
      result = undefined;
      throw error;
    });
    return result;
  };
}
