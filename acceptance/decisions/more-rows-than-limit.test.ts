import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Answer } from '../harness/client.ts'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { FIXES, IDENTS, positionRow, WHOLE_RANGE } from '../harness/fleet-data.ts'
import { type Organization, PREFIX, withRoom } from '../harness/organization.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const fleet = await startFleet({ full: 0, plain: 5 })

/** The path of the next page, below the prefix; undefined after the last page. */
function nextOf(answer: Answer): string | undefined {
  const link = answer.headers.link as string | undefined
  if (link === undefined) return undefined
  const match = /^<([^>]+)>; rel="next"$/.exec(link)
  assert.ok(match, link)
  assert.ok(match[1]!.startsWith(`${PREFIX}/`), link)
  return match[1]!.slice(PREFIX.length)
}

async function follow(
  organization: Organization,
  first: string,
  between: (page: number) => Promise<void> = async () => {},
) {
  const pages = []
  for (let path: string | undefined = first; path !== undefined; ) {
    await withRoom([organization])
    const answer = await organization.get(path)
    pages.push(resultOf(answer))
    path = nextOf(answer)
    await between(pages.length)
  }
  return pages
}

/** Imports one fix for each of these times into an object's history. */
async function addRows(organization: Organization, times: string[]): Promise<void> {
  const file = join(temporaryFolder(), 'late.csv')
  const rows = times.map((time) => `${IDENTS.van},${time},41.5,29.5`)
  writeFileSync(file, ['ident,time_device,latitude,longitude', ...rows, ''].join('\n'))
  const summary = await fleet.json('import', 'positions', '--org', String(organization.id), file)
  assert.equal(summary.accepted, times.length)
}

const firstPage = ({ objects }: Organization, limit: number) =>
  `/objects/${objects.van}/positions?${WHOLE_RANGE}&limit=${limit}`

describe('Requests: more rows than `limit`', () => {
  it('have no Link on the last page', async () => {
    const organization = fleet.take()
    for (const limit of [12, 13]) {
      assert.equal(nextOf(await organization.get(firstPage(organization, limit))), undefined)
    }
    const pages = await follow(organization, firstPage(organization, 6))
    assert.deepEqual(
      pages.map((page) => page.length),
      [6, 6],
    )
  })

  it('neither skip nor repeat the rows of the first page while rows are added', async () => {
    const organization = fleet.take()
    let minute = 0
    const pages = await follow(organization, firstPage(organization, 3), async () => {
      const time = (seconds: number) => `2024-05-06T08:0${minute}:${seconds}Z`
      minute = Math.min(minute + 1, 9)
      await addRows(organization, [time(20), time(40)])
    })
    const stood = new Set(FIXES.van.map((fix) => fix.time_device))
    const seen = pages.flat().map((row: { time_device: string }) => row.time_device)
    assert.deepEqual(seen, [...new Set(seen)].toSorted())
    assert.deepEqual(
      seen.filter((time) => stood.has(time)),
      [...stood],
    )
  })

  it('are at the address in Link, every row once, also after a restart', async () => {
    const organization = fleet.take()
    const pages = await follow(organization, firstPage(organization, 5), async (page) => {
      if (page === 1) await fleet.restart()
    })
    assert.deepEqual(
      pages.map((page) => page.length),
      [5, 5, 2],
    )
    assert.deepEqual(
      pages.flat(),
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
