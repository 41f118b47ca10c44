/** A QR code, drawn as one path: dark on white in both themes, because cameras read it so. */
import type { ReactElement } from 'react';
import { encode } from 'uqr';
import styles from './second-factor.module.css';

export function QrCode({ text, label }: { text: string; label: string }): ReactElement {
  const { data, size } = encode(text, { border: 2 });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')));
  return (
    <svg className={styles['qrCode']} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={path.join('')} shapeRendering="crispEdges" />
    </svg>
  );
}
