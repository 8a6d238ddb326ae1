import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bareFix, type Fix } from '../../src/base/domain/position/fix.ts'
import type { FeedRequest, Format } from '../../src/faces/feed/formats/format.ts'
import type { Packet, Row } from '../../src/faces/feed/packet.ts'

const FOLDER = join(import.meta.dirname, 'fixtures')

/** When the requests of the tests are received. */
export const NOW = Date.UTC(2026, 10, 20, 10)

/** A packet that was received at `NOW`. Fields that are not given are unknown. */
export function packetOf(
  ident: string,
  [time, latitude, longitude]: [time: number | string, latitude: number, longitude: number],
  fields: Partial<Fix> = {},
): Packet {
  const at = typeof time === 'string' ? Date.parse(time) : time
  const fix = { ...bareFix(at, NOW, latitude, longitude), ...fields }
  return { ident, isLocalTime: false, fix }
}

/** A recorded request as a format takes it. `fixtures/README.md` describes them. */
export function fixtureRequest(name: string): FeedRequest {
  const bytes = readFileSync(join(FOLDER, `${name}.http`))
  const end = bytes.indexOf('\r\n\r\n')
  const [line, ...lines] = bytes.subarray(0, end).toString().split('\r\n')
  const headers: Record<string, string> = {}
  for (const header of lines) {
    const colon = header.indexOf(':')
    headers[header.slice(0, colon).toLowerCase()] = header.slice(colon + 1).trim()
  }
  const target = line!.split(' ')[1]!
  const mark = target.indexOf('?')
  return {
    query: mark === -1 ? '' : target.slice(mark + 1),
    headers,
    body: bytes.subarray(end + 4),
    client: null,
  }
}

/** A packet without its attributes and the name of its device, which `formats/packet-fields.test.ts` checks. */
export function withoutAttributes(row: Row): Row {
  if (!('fix' in row)) return row
  const { lost: _, name: __, ...packet } = row
  return { ...packet, fix: { ...packet.fix, attributes: null } }
}

/** The only row of a request. */
export function onlyRow(rows: ReturnType<Format['read']>): Row {
  assert.ok(Array.isArray(rows) && rows.length === 1, JSON.stringify(rows))
  return rows[0]!
}
