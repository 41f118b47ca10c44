/** Certificates that this process trusts beside those of public authorities. */
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/** Makes every connection of this process trust a certificate in PEM form. Returns what ends that. */
export function trustCertificate(pem: string): () => void {
  const own = pem.trim();
  setDefaultCACertificates([...getCACertificates('default'), own]);
  return () => setDefaultCACertificates(getCACertificates('default').filter((each) => each.trim() !== own));
}
