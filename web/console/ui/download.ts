/** Saves an answer of the platform as a file. */
export async function saveFile(answer: Response, name: string): Promise<void> {
  const address = URL.createObjectURL(await answer.blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has the file's contents by then; the address alone would keep them in memory.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
