/**
 * Copies bytes to their own memory, for keeping: small buffers share slabs of several kilobytes, and each
 * that is kept would keep its whole slab.
 */
export function ownBytes(bytes: Buffer): Buffer {
  if (bytes.length === bytes.buffer.byteLength) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}
