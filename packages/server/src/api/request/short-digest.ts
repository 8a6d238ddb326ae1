import { createHash } from 'node:crypto'

const DIGEST_BYTES = 9

/** A text of 12 characters that differs for different texts, for cursors. */
export function shortDigest(text: string): string {
  const digest = createHash('sha256').update(text).digest()
  return digest.subarray(0, DIGEST_BYTES).toString('base64url')
}
