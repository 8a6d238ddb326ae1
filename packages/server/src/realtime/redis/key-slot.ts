export const SLOTS = 16_384

/**
 * The Cluster slot of every key whose name has this text between its first braces: CRC-16/XMODEM of its
 * bytes (https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec).
 */
export function keySlot(tag: string): number {
  let crc = 0
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021
    crc &= 0xffff
  }
  return crc % SLOTS
}
