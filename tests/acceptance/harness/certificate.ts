import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './temporary-folder.ts'

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0

export type KeyType = 'ec' | 'rsa'
const NEW_KEY: Record<KeyType, string[]> = {
  ec: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
  rsa: ['-newkey', 'rsa:2048'],
}

/** A self-signed certificate for localhost and the options that make the server use it. */
export function certificate(keyType: KeyType = 'ec'): { ca: Buffer; args: string[] } {
  const folder = temporaryFolder()
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const made = spawnSync('openssl', [
    ...['req', '-x509', ...NEW_KEY[keyType], '-nodes'],
    ...['-keyout', key, '-out', cert, '-days', '2', '-subj', '/CN=localhost'],
    ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
  ])
  assert.equal(made.status, 0, String(made.stderr))
  return { ca: readFileSync(cert), args: ['--tls-cert', cert, '--tls-key', key] }
}
