/**
 * The same bytes in memory of their own, for keeping: small buffers share slabs of several kilobytes, and
 * one of them that is kept keeps its whole slab.
 */
export function ownBytes(bytes: Buffer): Buffer {
  if (bytes.length === bytes.buffer.byteLength) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}
