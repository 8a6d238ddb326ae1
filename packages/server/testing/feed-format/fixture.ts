import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FeedRequest, Format } from '../../src/feed/formats/format.ts'
import type { Row } from '../../src/feed/packet.ts'

const FOLDER = join(import.meta.dirname, 'fixtures')

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
  }
}

/** The only row of a request. */
export function onlyRow(rows: ReturnType<Format['read']>): Row {
  assert.ok(Array.isArray(rows) && rows.length === 1, JSON.stringify(rows))
  return rows[0]!
}
