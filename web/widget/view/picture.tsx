/** @jsxImportSource preact */
import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';

interface PictureProps {
  address: string | null;
  class: string;
  /** What stands in the place of a picture that is missing or does not load. */
  children?: ComponentChildren;
}

/** A picture from an address that somebody has written. It decorates a name beside it. */
export function Picture({ address, class: name, children }: PictureProps): VNode {
  const [broken, setBroken] = useState<string | null>(null);
  if (address === null || address === broken) return <>{children}</>;
  return <img class={name} src={address} alt="" referrerPolicy="no-referrer" onError={() => setBroken(address)} />;
}
