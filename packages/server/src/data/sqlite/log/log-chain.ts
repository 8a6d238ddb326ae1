/**
 * Reads a write-ahead log by its chain of checksums: the checksum of a frame includes all frames before it,
 * so a frame that the disk has lost ends the chain.
 * https://sqlite.org/fileformat2.html#the_write_ahead_log
 */
type LogChain = {
  /** Takes the next bytes of the log, any number of them. */
  take(bytes: Buffer): void
  /** How many frames from the beginning of the log are whole and unchanged. */
  frames(): number
  /** The offset at which the last of them ends. 0 if the header is not valid. */
  bytes(): number
}

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** Its last bit says whether the checksums read words as big-endian. */
const MAGIC = 0x377f0682

type Header = { isLittleEndian: boolean; frameBytes: number; salts: bigint }

/** The chain of the first `most` frames. */
export function logChain(most = Number.POSITIVE_INFINITY): LogChain {
  let header: Header | undefined
  let isBroken = false
  let frames = 0
  /** The beginning of a frame, or of the header, whose end was not taken yet. */
  let rest = Buffer.alloc(0)
  let sum: Sum = [0, 0]

  /** Returns how many bytes it used. */
  function readHeader(bytes: DataView): number {
    const magic = bytes.getUint32(0)
    const isLittleEndian = magic === MAGIC
    sum = added([0, 0], bytes, 0, HEADER_BYTES - 8, isLittleEndian)
    isBroken = (magic & ~1) !== MAGIC || !isSum(bytes, HEADER_BYTES - 8)
    const frameBytes = FRAME_HEADER_BYTES + bytes.getUint32(8)
    header = { isLittleEndian, frameBytes, salts: bytes.getBigUint64(16) }
    return HEADER_BYTES
  }

  function readFrame(bytes: DataView, at: number, { isLittleEndian, frameBytes, salts }: Header) {
    sum = added(sum, bytes, at, at + 8, isLittleEndian)
    sum = added(sum, bytes, at + FRAME_HEADER_BYTES, at + frameBytes, isLittleEndian)
    isBroken = bytes.getBigUint64(at + 8) !== salts || !isSum(bytes, at + 16)
    if (!isBroken) frames += 1
  }

  const isSum = (bytes: DataView, at: number) =>
    bytes.getInt32(at) === sum[0] && bytes.getInt32(at + 4) === sum[1]

  return {
    take(taken) {
      const bytes = Buffer.concat([rest, taken])
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
      let at = 0
      if (header === undefined && bytes.length >= HEADER_BYTES) at = readHeader(view)
      for (; header !== undefined && !isBroken && frames < most; at += header.frameBytes) {
        if (at + header.frameBytes > bytes.length) break
        readFrame(view, at, header)
      }
      rest = isBroken ? Buffer.alloc(0) : bytes.subarray(at)
    },
    frames: () => frames,
    bytes: () => (frames === 0 ? 0 : HEADER_BYTES + frames * header!.frameBytes),
  }
}

type Sum = readonly [number, number]

/** The checksum with the words from `from` to `to` added to it. */
function added(sum: Sum, bytes: DataView, from: number, to: number, isLittleEndian: boolean): Sum {
  let [first, second] = sum
  for (let at = from; at < to; at += 8) {
    first = (first + bytes.getInt32(at, isLittleEndian) + second) | 0
    second = (second + bytes.getInt32(at + 4, isLittleEndian) + first) | 0
  }
  return [first, second]
}
