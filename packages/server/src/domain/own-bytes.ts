/**
 * Copies bytes to their own memory, for keeping: small buffers share slabs of 64 KiB, and each that is kept
 * would keep its whole slab.
 */
export function ownBytes<Bytes extends Uint8Array>(bytes: Bytes): Bytes | Buffer {
  if (bytes.length === bytes.buffer.byteLength) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  own.set(bytes)
  return own
}
