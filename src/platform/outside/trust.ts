/** Certificates that this process trusts next to those of public authorities. */
import { getCACertificates, rootCertificates, setDefaultCACertificates } from 'node:tls';

/** Makes every connection of this process trust a certificate in PEM form. Returns what ends that. */
export function trustCertificate(pem: string): () => void {
  const own = pem.trim();
  setDefaultCACertificates([...getCACertificates('default'), own]);
  return () => setDefaultCACertificates(getCACertificates('default').filter((each) => each.trim() !== own));
}

/** Returns the certificates, in PEM form, that this process trusts next to those of public authorities; a child process does not know them. */
export function listOwnCertificates(): string[] {
  const roots = new Set(rootCertificates);
  return getCACertificates('default').filter((each) => !roots.has(each));
}
