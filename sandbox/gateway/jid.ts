/** Returns the address of a number as the gateway completes it: without the ninth digit of Brazil where WhatsApp has none. */
export function createJid(number: string): string {
  if (number.includes('@')) return number;
  const digits = number.replaceAll(/\D/g, '');
  if (digits.length >= 18) return `${digits}@g.us`;
  if (/^5[24]\d{11}$/.test(digits)) return `${digits.slice(0, 2)}${digits.slice(3)}@s.whatsapp.net`;
  const [, country, area, subscriber] = /^(55)(\d{2})\d(\d{8})$/.exec(digits) ?? [];
  const isShort = subscriber !== undefined && Number(subscriber[0]) >= 7 && Number(area) >= 31;
  return `${isShort ? `${country}${area}${subscriber}` : digits}@s.whatsapp.net`;
}
