import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { PREFIX } from '../harness/organization.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const OBJECTS = 100
const DAYS = 100
const DAY_MS = 86_400_000
const FIRST_DAY = Date.UTC(2026, 0, 1)
/** As many pages of 10,000 rows as an organization may hold. */
const HELD = 3
const RANGE = 'from_date=2026-01-01&to_date=2026-04-10'

const fleet = await startFleet()

/** Makes a page longer than what the system keeps for a connection: 4 MB on Linux. */
const NAME = 'long '.repeat(40).trim()

const objects = () =>
  ['ident,name', ...Array.from({ length: OBJECTS }, (_, i) => `held-${i},${NAME}`)].join('\n')

/** A position of each object on each day. */
function positions(): string {
  const rows = ['ident,time_device,latitude,longitude']
  for (let object = 0; object < OBJECTS; object += 1) {
    for (let day = 0; day < DAYS; day += 1) {
      const time = new Date(FIRST_DAY + day * DAY_MS).toISOString()
      rows.push(`held-${object},${time},41,${day / 1_000}`)
    }
  }
  return rows.join('\n')
}

describe('Long pages that nobody reads', () => {
  const own = fleet.take()
  const list = async (limit: number) => {
    const answer = await own.get(`/days?${RANGE}&limit=${limit}`)
    return { rows: resultOf(answer) as Json[], next: answer.headers.link }
  }

  /** Resolves when a page begins, and reads no further. */
  function leaveUnread(): Promise<IncomingMessage> {
    const url = `${fleet.server.api}${PREFIX}/days?${RANGE}&limit=10000`
    return new Promise((resolve, reject) =>
      get(url, { agent: false, headers: { 'x-api-key': own.key } }, resolve).on('error', reject),
    )
  }

  it('make those of their organization shorter, until their clients have gone', async () => {
    for (const [what, rows] of Object.entries({ objects: objects(), positions: positions() })) {
      const file = join(temporaryFolder(), `${what}.csv`)
      writeFileSync(file, rows)
      await fleet.run('import', what, '--org', String(own.id), file)
    }
    const unread: IncomingMessage[] = []
    for (let page = 0; page < HELD; page += 1) unread.push(await leaveUnread())
    const short = await list(2_000)
    assert.equal(short.rows.length, 100)
    assert.match(String(short.next), /rel="next"/)
    for (const each of unread) each.destroy()
    // The server notices it a moment later.
    let long = await list(2_000)
    while (long.rows.length === 100) long = await list(2_000)
    assert.equal(long.rows.length, 2_000)
  })
})
