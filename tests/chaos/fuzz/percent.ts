import { isUtf8 } from 'node:buffer'

const BROKEN = /%(?![0-9a-f]{2})/i
const OCTET = /%([0-9a-f]{2})/gi

/**
 * Text without its percent-encoding; undefined if a `%` begins no octet, or the octets are not UTF-8. Avoids
 * `decodeURIComponent`, which costs an exception each time, and which the server uses itself.
 */
export function decodePercent(text: string): string | undefined {
  if (!text.includes('%')) return text
  if (BROKEN.test(text)) return undefined
  const octets = text.replace(OCTET, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  const bytes = Buffer.from(octets, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : undefined
}
