import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { NAMES } from '../../../testing/any-attributes.ts'
import { anyPositionRows } from '../../../testing/any-position-rows.ts'
import { drivenRows } from '../../../testing/driven-rows.ts'
import {
  FIX_RECORD,
  FIX_RECORD_VERSION,
  readCounters,
  unpackFix,
} from '../../base/domain/position/fix-record.ts'
import { countersIn, fixIn, pickRows } from '../../base/domain/position/position-columns.ts'
import type { PositionRow } from '../../engine/tracking/stored-position.ts'
import { blockMemory, decodeBlock, encodeBlock, readHead, type Wanted } from './block.ts'
import { COLUMNS, FIX_COLUMNS } from './block-columns.ts'
import { DamagedBlock, NewerBlock } from './column-bytes.ts'
import { fixRecords, foldRecord, positionColumns, rowAt } from './columns-to-rows.ts'
import { RESTART_ROWS } from './predict.ts'
import { columnsOf } from './rows-to-columns.ts'

const OWNER = { organization: 7, object: 2 ** 40 }

describe('A block', () => {
  it('gives back all rows that a store can have', () => {
    fc.assert(
      fc.property(anyPositionRows, (rows) => {
        assert.deepEqual(readRows(packed(rows)), rows)
      }),
      { numRuns: 300 },
    )
  })

  it('says what it is of', () => {
    fc.assert(
      fc.property(anyPositionRows, (rows) => {
        const [first, last] = [timeOf(rows[0]!), timeOf(rows.at(-1)!)]
        assert.deepEqual(readHead(packed(rows)), { ...OWNER, rows: rows.length, first, last })
      }),
      { numRuns: 50 },
    )
  })

  it('gives any span of its rows, from the restart before it on', () => {
    fc.assert(
      fc.property(anyPositionRows, fc.nat(), fc.nat(), (rows, one, other) => {
        const [from, to] = [one % rows.length, other % (rows.length + 1)].sort((a, b) => a - b)
        const { first, columns } = decodeBlock(packed(rows), { from, to })
        assert.equal(first, from! - (from! % RESTART_ROWS))
        const read = Array.from({ length: to! - first }, (_, i) => rowAt(columns, i))
        assert.deepEqual(read, rows.slice(first, to))
      }),
      { numRuns: 200 },
    )
  })

  it('gives the same fix records without the fold states', () => {
    fc.assert(
      fc.property(anyPositionRows, (rows) => {
        const { columns } = decodeBlock(packed(rows), { columns: FIX_COLUMNS })
        const odd = rows.flatMap((_, row) => (row % 2 === 1 ? [row] : []))
        const expected = odd.map((row) => rows[row]!.fix)
        assert.deepEqual(fixRecords(columns, odd), Buffer.concat(expected))
      }),
      { numRuns: 100 },
    )
  })

  it('gives columns for answers, and reads attributes only when they are asked for', () => {
    fc.assert(
      fc.property(anyPositionRows, (rows) => {
        const { columns } = decodeBlock(packed(rows), { columns: FIX_COLUMNS })
        const attributes = () => assert.fail('attributes are read')
        const [bare, all] = [{ ...columns, attributes }, columns].map(positionColumns)
        const some = rows.map((_, row) => row).filter((row) => row % 3 !== 0)
        const picked = pickRows(all!, some)
        for (const [row, { fix }] of rows.entries()) {
          const expected = unpackFix(fix, 0, NAMES)
          assert.deepEqual(fixIn(bare!, row), { ...expected, attributes: null })
          assert.deepEqual(fixIn(all!, row, NAMES), expected)
          assert.deepEqual(countersIn(all!, row), readCounters(Buffer.from(fix)))
        }
        const read = some.map((_, row) => fixIn(picked, row, NAMES))
        assert.deepEqual(
          read,
          some.map((row) => unpackFix(rows[row]!.fix, 0, NAMES)),
        )
      }),
      { numRuns: 100 },
    )
  })

  it('gives the same rows in memory that another block has used', () => {
    const memory = blockMemory()
    fc.assert(
      fc.property(anyPositionRows, (rows) => {
        assert.deepEqual(readRows(packed(rows), { memory }), rows)
      }),
      { numRuns: 50 },
    )
  })

  it('is written again from its columns', () => {
    fc.assert(
      fc.property(anyPositionRows, (rows) => {
        const block = packed(rows)
        const again = encodeBlock(OWNER, decodeBlock(block).columns)
        assert.deepEqual(readRows(again), rows)
      }),
      { numRuns: 100 },
    )
  })

  it('is refused if one byte is another', () => {
    fc.assert(
      fc.property(anyPositionRows, fc.integer({ min: 1, max: 255 }), (rows, change) => {
        const block = packed(rows)
        for (let at = 0; at < block.length; at += 1) {
          block[at]! ^= change
          assert.throws(() => readHead(block), DamagedBlock)
          if (at % 16 === 0) assert.throws(() => decodeBlock(block), DamagedBlock)
          block[at]! ^= change
        }
      }),
      { numRuns: 10 },
    )
  })

  it('is refused if it is cut off, or longer', () => {
    const block = packed(fc.sample(anyPositionRows, { numRuns: 1, seed: 1 })[0]!)
    for (let length = 0; length < block.length; length += 1) {
      assert.throws(() => readHead(block.subarray(0, length)), DamagedBlock)
    }
    assert.throws(() => readHead(Buffer.concat([block, Buffer.alloc(1)])), DamagedBlock)
  })

  it('is refused if its form is unknown', () => {
    const block = Buffer.from(packed(fc.sample(anyPositionRows, { numRuns: 1, seed: 2 })[0]!))
    block[0] = 2
    block.writeUInt32LE(crc32(block.subarray(0, -4)), block.length - 4)
    for (const read of [readHead, decodeBlock]) {
      assert.throws(() => read(block), /a format that this version does not know/)
    }
  })
})

describe('A block with a flag that this version does not know', () => {
  const block = packed(drivenRows(70))
  for (const [word, name] of ['fix', 'fold', 'readings'].entries()) {
    it(`is refused as one of a newer version: ${name}`, () => {
      const { columns } = decodeBlock(block)
      const flags = columns.flags.map((each) => each.slice())
      flags[word]![69]! |= 1 << 24
      const newer = encodeBlock(OWNER, { ...columns, flags })
      assert.throws(() => decodeBlock(newer), NewerBlock)
      assert.throws(() => decodeBlock(newer, { from: 0, to: 1 }), NewerBlock)
    })
  }
})

describe('A block of a drive', () => {
  const rows = drivenRows(500)

  it('gives back each row, and takes less than three bytes for it', () => {
    const block = packed(rows)
    assert.deepEqual(readRows(block), rows)
    assert.deepEqual(readRows(block, { from: 200, to: 300 }), rows.slice(192, 300))
    assert.ok(block.length < 3 * rows.length, `${block.length} bytes`)
  })

  it('is read as it was if an earlier program wrote it', () => {
    assert.deepEqual(readRows(Buffer.from(WRITTEN, 'base64')), drivenRows(70))
  })
})

describe('The columns of rows', () => {
  it('have a number of their own each, also those of fields', () => {
    const ids = COLUMNS.map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length)
  })

  it('refuse a fix record of another version, and one with unknown fields', () => {
    const [[row]] = fc.sample(anyPositionRows, { numRuns: 1, seed: 3 }) as [[PositionRow]]
    const other = Buffer.from(row.fix)
    other[FIX_RECORD.version] = FIX_RECORD_VERSION + 1
    assert.throws(
      () => columnsOf([{ ...row, fix: other }]),
      /a format that this version does not know/,
    )
    const newer = Buffer.concat([Buffer.from(row.fix), Buffer.alloc(8)])
    newer[FIX_RECORD.addressAt] = FIX_RECORD.optional + 1
    newer[FIX_RECORD.optional] = 0x40
    newer.writeUInt16LE(newer.length, FIX_RECORD.length)
    assert.throws(() => columnsOf([{ ...row, fix: newer }]), RangeError)
    const [driven] = drivenRows(1)
    const track = Buffer.from(driven!.track)
    const rare = Buffer.concat([track.subarray(0, 3), Buffer.of(0x80), track.subarray(3)])
    rare[2]! |= 0x02
    assert.throws(() => columnsOf([{ ...driven!, track: rare }]), RangeError)
  })
})

/** The first 70 rows of the drive. */
const WRITTEN = `
AQeAgICAgCBGgODgv580iJsEgQeWAyi1L/1ggQJlDADUEga+XuvDC4CAAb5c68MLgoADAgMAAwAAAgQCBggGCgYIChAGiAPoBwAA
YPTwAe8AQwACDBIBxBfzOpj2VLIQkTPVdxm7ctAujOpIWfudP+GDqghmxCKAIcNlB6lL7UCe/Fq4Fostz3ETtXjWNJLwTlP1lznb
fbAObMoohhu9AwMCAQEAAAABAQIDAwMCAgABAgEBAhKBAgHQ0AAAPAf0AOAAAQAwAAAAFoBaAGIAAgAegAIBQAD/ABAABQA0AAGE
AcQBAQD/APMAAYYByAKgjQYAgPBPghKWAAUAAgCHAYgC/PS+AYCJAYQBAQA/AB+aAQQBKM0BAQDWALAAFQACLgMBIsYB9AABAwgB
oAGIAQHQDAcCAxQUFENhcnJlciBkZSBNYWxsb3JjYSAwMTIsINCCIqrpSATHZFCP+bEkxvCGGoXgiDzwGJfA2HINAHCw4crtIdEo
T1D3ZaVrBCY40EILVqMOxLmYswYDntvuNgYPYRiI99rypZwLn20hGBnLGBI5GjgG9GCX+To8WwhM`

function packed(rows: readonly PositionRow[]): Uint8Array {
  return encodeBlock(OWNER, columnsOf(rows))
}

function readRows(block: Uint8Array, wanted?: Wanted): PositionRow[] {
  const { columns } = decodeBlock(block, wanted)
  return Array.from({ length: columns.rows }, (_, row) => {
    assert.deepEqual(foldRecord(columns, row), rowAt(columns, row).track)
    return rowAt(columns, row)
  })
}

function timeOf({ fix }: PositionRow): number {
  return Buffer.from(fix).readUIntLE(FIX_RECORD.timeDevice, 6)
}
