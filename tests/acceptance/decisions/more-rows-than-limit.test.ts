import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { FIXES, IDENTS, positionRow, WHOLE_RANGE } from '../harness/fleet-data.ts'
import { importRows } from '../harness/import-rows.ts'
import { type Organization, withRoom } from '../harness/organization.ts'
import { allPages, nextOf } from '../harness/pages.ts'

const fleet = await startFleet({ full: 0, plain: 5 })

/** Imports one fix for each of these times into an object's history. */
function addRows(organization: Organization, times: string[]): Promise<void> {
  const rows = times.map((time) => `${IDENTS.van},${time},41.5,29.5`)
  return importRows(fleet, organization, 'positions', 'ident,time_device,latitude,longitude', rows)
}

/** The pages from the first one on, each when the window has room. */
const follow = (organization: Organization, limit: number, between?: Between) =>
  allPages(
    async (path) => (await withRoom([organization])).get(path),
    firstPage(organization, limit),
    between,
  )
type Between = (pages: number) => Promise<void>

const firstPage = ({ objects }: Organization, limit: number) =>
  `/objects/${objects.van}/positions?${WHOLE_RANGE}&limit=${limit}`

describe('Requests: more rows than `limit`', () => {
  it('have no Link on the last page', async () => {
    const organization = fleet.take()
    for (const limit of [12, 13]) {
      assert.equal(nextOf(await organization.get(firstPage(organization, limit))), undefined)
    }
    const { pages } = await follow(organization, 6)
    assert.deepEqual(
      pages.map((page) => page.length),
      [6, 6],
    )
  })

  it('neither skip nor repeat the rows of the first page while rows are added', async () => {
    const organization = fleet.take()
    let minute = 0
    const { rows } = await follow(organization, 3, async () => {
      const time = (seconds: number) => `2024-05-06T08:0${minute}:${seconds}Z`
      minute = Math.min(minute + 1, 9)
      await addRows(organization, [time(20), time(40)])
    })
    const stood = new Set(FIXES.van.map((fix) => fix.time_device))
    const seen = rows.map((row: { time_device: string }) => row.time_device)
    assert.deepEqual(seen, [...new Set(seen)].toSorted())
    assert.deepEqual(
      seen.filter((time) => stood.has(time)),
      [...stood],
    )
  })

  it('are at the address in Link, every row once, also after a restart', async () => {
    const organization = fleet.take()
    const { rows, pages } = await follow(organization, 5, async (page) => {
      if (page === 1) await fleet.restart()
    })
    assert.deepEqual(
      pages.map((page) => page.length),
      [5, 5, 2],
    )
    assert.deepEqual(
      rows,
      FIXES.van.map((fix) => positionRow(fix, organization.objects.van)),
    )
  })

  it('charge 1 for each page', async () => {
    const organization = fleet.take()
    await fleet.run('org', 'update', String(organization.id), '--daily-quota', '2')
    const first = await organization.get(firstPage(organization, 5))
    const second = await organization.get(nextOf(first)!)
    assert.equal(second.headers['x-quota-remaining'], '0')
    assertRefused(await organization.get(nextOf(second)!), 400, 'PUBLIC.400_005')
  })

  it('refuse a cursor that was tampered with, and that of another object', async () => {
    const organization = fleet.take()
    const { van, longHaul } = organization.objects
    const next = nextOf(await organization.get(firstPage(organization, 5)))!
    const cursor = new URLSearchParams(next.split('?')[1]).get('cursor')!
    const flipped = (cursor[0] === 'A' ? 'B' : 'A') + cursor.slice(1)
    const elsewhere = next.replace(`/objects/${van}/`, `/objects/${longHaul}/`)
    for (const path of [next.replace(cursor, flipped), next.replace(cursor, '%00'), elsewhere]) {
      assertRefused(await organization.get(path), 400, 'PUBLIC.400_001', /cursor/i)
    }
  })
})
