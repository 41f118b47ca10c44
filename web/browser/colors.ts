/** The company's colour, and what can be read on it. */

const USUAL_COLOR = '#2563eb';

/** Returns the colour when it is one in the form #rrggbb, else the usual one. */
export const readColor = (text: string | null | undefined): string =>
  /^#[\da-f]{6}$/i.test(text ?? '') ? String(text).toLowerCase() : USUAL_COLOR;

/** The relative luminance of a colour as WCAG 2.2 defines it: 0 for black, 1 for white. */
function measureLuminance(color: string): number {
  const parts = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = parts.map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast between two colours as WCAG 2.2 defines it: from 1 to 21. */
export function measureContrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [measureLuminance(one), measureLuminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Returns white or black, whichever can be read better on the colour. */
export const chooseTextColor = (ground: string): string =>
  measureContrast('#ffffff', ground) >= measureContrast('#000000', ground) ? '#ffffff' : '#000000';
