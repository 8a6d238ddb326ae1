import { FIELDS } from '../../../domain/position/fields.ts'
import { FIX_FLAG, FIX_RECORD } from '../../../domain/position/fix-record.ts'
import { writeBytes, writeDecimal, writeInstant } from '../number-bytes.ts'
import type { ObjectTrack } from './position-form.ts'
import { xmlText } from './xml-text.ts'

/** Positions of a track at most, in 3 MB. A history has no more rows by default. */
const TRACK_POSITIONS = 100_000
const FIRST_POSITIONS = 256
/** Positions of a piece of text: about 1 ms of work. */
const PIECE_POSITIONS = 2_000

/** The part of a record that a track needs: from the flags to the altitude. */
const KEPT = { from: FIX_RECORD.flags, to: FIX_RECORD.altitude + 4 }
const KEPT_BYTES = KEPT.to - KEPT.from

const WHEN = [Buffer.from('<when>'), Buffer.from('</when>\n')] as const
const COORD = [Buffer.from('<gx:coord>'), Buffer.from('</gx:coord>\n')] as const
const SPACE = Buffer.from(' ')
/** A coordinate has three numbers of at most 13 characters. */
const LINE_BYTES = 64
const END = Buffer.from('</gx:Track></Placemark>\n')

/** Writes the line of a position, whose kept part begins at `from`, to `out` at `to`. Returns the end. */
type WriteLine = (out: Buffer, to: number, kept: Buffer, from: number) => number

/**
 * Tracks of Google's extension, of at most `most` positions. All times precede all coordinates, or Google Earth shows
 * nothing. So a track follows its positions, which are kept until then.
 */
export function kmlTrack(name: string, most = TRACK_POSITIONS): ObjectTrack {
  const opening = Buffer.from(`<Placemark><name>${xmlText(name)}</name><gx:Track>\n`)
  let kept = Buffer.alloc(0)
  let positions = 0

  function keep(records: Uint8Array, at: number): void {
    const to = positions * KEPT_BYTES
    if (to === kept.length) {
      const wider = Buffer.allocUnsafeSlow(Math.max(FIRST_POSITIONS * KEPT_BYTES, to * 2))
      kept.copy(wider)
      kept = wider
    }
    for (let i = 0; i < KEPT_BYTES; i += 1) kept[to + i] = records[at + KEPT.from + i]!
    positions += 1
  }

  function* track(): Generator<Buffer> {
    if (positions === 0) return
    yield opening
    yield* lines(writeWhen)
    yield* lines(writeCoord)
    yield END
    positions = 0
  }

  function* lines(write: WriteLine): Generator<Buffer> {
    for (let first = 0; first < positions; first += PIECE_POSITIONS) {
      const last = Math.min(first + PIECE_POSITIONS, positions)
      const out = Buffer.allocUnsafe((last - first) * LINE_BYTES)
      let to = 0
      for (let i = first; i < last; i += 1) to = write(out, to, kept, i * KEPT_BYTES - KEPT.from)
      yield out.subarray(0, to)
    }
  }

  return {
    *add(records) {
      for (let at = 0; at < records.length; ) {
        if (positions === most) yield* track()
        keep(records, at)
        at += records[at + FIX_RECORD.length]! + records[at + FIX_RECORD.length + 1]! * 0x100
      }
    },
    end: track,
  }
}

function writeWhen(out: Buffer, to: number, kept: Buffer, from: number): number {
  const end = writeInstant(
    out,
    writeBytes(out, to, WHEN[0]),
    kept.readUIntLE(from + FIX_RECORD.timeDevice, 6),
  )
  return writeBytes(out, end, WHEN[1])
}

function writeCoord(out: Buffer, to: number, kept: Buffer, from: number): number {
  const { longitude, latitude, altitude } = FIELDS
  const integer = (at: number) => kept.readInt32LE(from + at)
  let end = writeBytes(out, to, COORD[0])
  end = writeDecimal(out, end, integer(FIX_RECORD.longitude), longitude.decimals)
  end = writeBytes(out, end, SPACE)
  end = writeDecimal(out, end, integer(FIX_RECORD.latitude), latitude.decimals)
  if ((kept.readUInt16LE(from + FIX_RECORD.flags) & FIX_FLAG.altitude) !== 0) {
    end = writeBytes(out, end, SPACE)
    end = writeDecimal(out, end, integer(FIX_RECORD.altitude), altitude.decimals)
  }
  return writeBytes(out, end, COORD[1])
}
