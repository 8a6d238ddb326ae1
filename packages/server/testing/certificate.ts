import { spawnSync } from 'node:child_process'

/**
 * A self-signed certificate for localhost and `name`, by default also for 127.0.0.1, and its key, both in one PEM. Undefined if
 * OpenSSL is not installed.
 */
export function selfSigned(
  name = 'localhost',
  also = ',IP:127.0.0.1',
): { cert: Buffer; key: Buffer } | undefined {
  const { status, stdout } = spawnSync('openssl', [
    ...['req', '-x509', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
    ...['-keyout', '-', '-out', '-', '-days', '2', '-subj', '/CN=localhost'],
    ...['-addext', `subjectAltName=DNS:localhost,DNS:${name}${also}`],
  ])
  return status === 0 ? { cert: stdout, key: stdout } : undefined
}
