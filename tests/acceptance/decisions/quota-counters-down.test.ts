import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { embeddedOnly, isEmbedded } from '../harness/deployment.ts'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { type Fleet, startFleet } from '../harness/fleet.ts'
import { WHOLE_RANGE } from '../harness/fleet-data.ts'
import { importRows } from '../harness/import-rows.ts'
import { type Organization, withRoom } from '../harness/organization.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

/** A disk of a few megabytes that a test can fill; only root can mount it. */
const disk = temporaryFolder()
const mounted =
  isEmbedded && spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk]).status === 0
const skip = mounted ? false : embeddedOnly.skip || 'a small disk cannot be mounted here'
process.once('exit', () => mounted && spawnSync('umount', ['-l', disk]))

function fillDisk(): { free(): void } {
  const ballast = join(disk, 'ballast')
  const { bavail, bsize } = statfsSync(disk)
  writeFileSync(ballast, Buffer.alloc(bavail * bsize))
  return { free: () => rmSync(ballast) }
}

/** Enough objects that one call can charge more at once than any block of a disk holds. */
async function importObjects(fleet: Fleet, organization: Organization): Promise<number[]> {
  const ids = Array.from({ length: 900 }, (_, i) => 500_000 + organization.id * 1000 + i)
  const rows = ids.map((n) => `${n},n${n},N${n}`)
  await importRows(fleet, organization, 'objects', 'id,ident,name', rows)
  return ids
}

const latest = (ids: number[]) => `/positions/latest?ids=${ids.join(',')}`

describe('When a part is down: quota counters', { skip }, async () => {
  if (!mounted) return
  const fleet = await startFleet({ full: 0, plain: 4 }, [], { folder: join(disk, 'data') })
  after(() => spawnSync('umount', ['-l', disk]))
  const [limited, unlimited] = [[fleet.take(), fleet.take(), fleet.take()], fleet.take()]
  const objects = new Map<Organization, number[]>()
  const charged = new Map<Organization, number>()
  for (const organization of [...limited, unlimited]) {
    objects.set(organization, await importObjects(fleet, organization))
    charged.set(organization, 0)
  }
  for (const { id } of limited) {
    await fleet.run('org', 'update', String(id), '--daily-quota', '100')
  }
  const add = (organization: Organization) =>
    charged.set(organization, charged.get(organization)! + 1)

  /** Charges fewer and fewer objects at once, until the disk has no room to charge one. */
  async function exhaustDisk(): Promise<void> {
    for (let count = 512; count >= 1; ) {
      const organization = await withRoom(limited)
      const ids = objects.get(organization)!.slice(0, count)
      const answer = await organization.get(latest(ids))
      if (answer.status === 200) add(organization)
      else count = Math.floor(count / 2)
    }
  }

  it('refuses charged requests and answers the others', async () => {
    const full = fillDisk()
    try {
      await exhaustDisk()
      const organization = await withRoom(limited)
      const [first] = objects.get(organization)!
      for (const path of [latest([first!]), `/objects/${first}/positions?${WHOLE_RANGE}`]) {
        const refused = await organization.get(path)
        assertRefused(refused, 503, 'ERR999')
        assert.match(refused.headers['retry-after']!, /^[1-9]\d*$/)
      }
      const others = objects.get(unlimited)!
      assert.equal(resultOf(await unlimited.get(latest(others))).length, others.length)
      resultOf(await unlimited.get(`/objects/${others[0]}/positions?${WHOLE_RANGE}`))
      resultOf(await organization.get(`/objects/${first}`))
      add(organization)
    } finally {
      full.free()
    }
  })

  it('has charged exactly the answered requests when the counters are back', async () => {
    for (const organization of limited) {
      await withRoom([organization])
      const answer = await organization.get(latest(objects.get(organization)!.slice(0, 1)))
      add(organization)
      resultOf(answer)
      const remaining = Number(answer.headers['x-quota-remaining'])
      assert.equal(100 - remaining, charged.get(organization))
    }
  })
})
