/** Makes a small square of a picture, because it is shown at the size of a thumb and loaded beside each name. */

/** Twice the largest size at which a picture is shown, for screens with a high resolution. */
const EDGE = 192;
const QUALITY = 0.9;

/** Cuts the middle out of a picture. Null for a file that the browser cannot read as a picture. */
export async function shrinkPicture(file: File): Promise<File | null> {
  // Failure policy: the browser refuses a file that is no picture; the user is told so.
  const picture = await createImageBitmap(file).catch(() => null);
  if (!picture) return null;
  const edge = Math.min(picture.width, picture.height);
  const [left, top] = [(picture.width - edge) / 2, (picture.height - edge) / 2];
  const canvas = new OffscreenCanvas(EDGE, EDGE);
  const context = canvas.getContext('2d');
  // A picture with transparent parts becomes a JPEG, which has none.
  if (context) context.fillStyle = '#fff';
  context?.fillRect(0, 0, EDGE, EDGE);
  context?.drawImage(picture, left, top, edge, edge, 0, 0, EDGE, EDGE);
  picture.close();
  const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: QUALITY });
  return new File([blob], 'picture.jpg', { type: blob.type });
}
