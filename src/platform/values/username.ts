/** Usernames, which people choose at a network. */

// Usernames have up to 35 letters, digits, periods and underscores today. Searches rely on their letters being ASCII.
const USERNAME = /^[!-~]{1,100}$/;

/** Reads a username in the form in which contacts store it: in small letters, without the @ before it. Null for any other text. */
export function readUsername(text: string): string | null {
  const username = text.trim().replace(/^@/, '').toLowerCase();
  return USERNAME.test(username) ? username : null;
}
