import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import fc from 'fast-check'
import type { Grant } from '../../../../packages/server/src/base/domain/grant.ts'
import { bareFix } from '../../../../packages/server/src/base/domain/position/fix.ts'
import { ON_TEST_SERVERS } from '../../../../packages/server/testing/command-line/printed.ts'
import { anyPath } from '../../../chaos/grants/any-path.ts'
import { anyDrives, anyGrants, fixesOf, NOW, OBJECTS } from '../../../chaos/grants/any-world.ts'
import { startConsole } from '../../harness/admin.ts'
import { stopClock } from '../../harness/clock.ts'
import { certificate, skipWithoutOpenssl } from '../../harness/webhooks.ts'
import type { Compared } from './compared.ts'
import { LAST_ALTITUDE } from './followers.ts'
import { type HttpWorld, openWorld } from './http-world.ts'

/** `WORLDS=40`: so many pairs. The first ones are always the same. */
const WORLDS = Number(process.env.WORLDS ?? 2)
const PATHS = 40
const FORMS = ['traccar', 'osmand']
const APART_MS = 1_000
/** Most grants of few minutes show less than this. */
const MIN_SHOWN = 10

type Fixes = ReturnType<typeof fixesOf>

// The admin API takes no empty list of attributes.
const anyWritableGrants = anyGrants.filter((grants) =>
  grants.every(({ attributes }) => attributes === null || attributes.length > 0),
)
const anyPaths = fc.array(
  anyPath.filter((path) => !path.includes('levels')),
  { minLength: PATHS, maxLength: PATHS },
)
const anyPair = fc
  .tuple(anyDrives, anyWritableGrants, anyPaths)
  .filter(([drives, grants]) => shownOf(fixesOf(drives, grants, 'none'), grants) >= MIN_SHOWN)
const pairs = fc.sample(anyPair, { numRuns: WORLDS, seed: 58 })

Object.assign(process.env, ON_TEST_SERVERS)
const pass = stopClock(NOW)
if (certificate !== undefined)
  setDefaultCACertificates([...getCACertificates(), certificate.cert.toString()])

describe('Two organizations whose hidden values differ', { skip: skipWithoutOpenssl }, async () => {
  const console = await startConsole(['--webhook-networks', '127.0.0.1/32'])

  /** Posts the fixes of each object to both worlds. */
  async function fill(worlds: readonly HttpWorld[], fixes: readonly Fixes[]): Promise<void> {
    for (const object of OBJECTS) {
      const own = fixes.map((each) => each.filter((fix) => fix.object === object))
      if (own[0]!.length === 0) continue
      pass(APART_MS)
      await Promise.all(worlds.map((world, index) => world.post(own[index]!)))
    }
  }

  for (const [index, [drives, grants, paths]] of pairs.entries()) {
    it(`answer, stream and send alike with the same grants, pair ${index + 1}`, async (t) => {
      const fixes = (['none', 'values'] as const).map((each) => fixesOf(drives, grants, each))
      const part = (isLate: boolean) =>
        fixes.map((each) => each.filter((fix) => fix.isLate === isLate))
      const worlds = await Promise.all(
        fixes.map((_, which) => openWorld(console, 2 * index + which, grants)),
      )
      await fill(worlds, part(false))
      const form = FORMS[index % FORMS.length]!
      const early = shownOf(part(false)[0]!, grants)
      const followers = await Promise.all(worlds.map((world) => world.follow(form, early)))
      await fill(worlds, part(true))
      const last = lastOf(grants)
      await fill(
        worlds,
        worlds.map(() => [last]),
      )
      for (const world of worlds) await world.end(last.object)
      const shown = shownOf(fixes[0]!, grants)
      const [first, second] = await Promise.all(followers.map((all) => all()))
      assertAlike(first!, second!)
      for (const path of paths) {
        const [one, other] = await Promise.all(worlds.map((world) => world.ask(path)))
        assertAlike([one!], [other!])
      }
      const [one, other] = await Promise.all(worlds.map((world) => world.askLink()))
      assertAlike([one!], [other!])
      const requests = worlds.reduce((sum, world) => sum + world.requests(), 0)
      t.diagnostic(`${requests} requests, ${shown} of ${fixes[0]!.length} positions shown`)
    })
  }
})

/** How many positions the grants show. */
function shownOf(fixes: Fixes, grants: readonly Grant[]): number {
  const isShown = ({ object, fix: { timeDevice: at } }: Fixes[number]) =>
    grants.some(
      ({ objects, from, until }) => objects!.includes(object) && from! <= at && at <= until!,
    )
  return fixes.filter(isShown).length
}

/** A position that is shown, and none of its object after it. */
function lastOf(grants: readonly Grant[]): Fixes[number] {
  const [{ objects, until }] = grants
    .filter(({ from, until }) => from! < until!)
    .toSorted((a, b) => b.until! - a.until!) as [Grant]
  const [object] = objects!
  // No drive has a position within a minute.
  const fix = { ...bareFix(until! - 1, NOW, 1, object!), altitude: LAST_ALTITUDE }
  return { object: object!, isLate: true, fix: { ...fix, speed: 0, attributes: null } }
}

function assertAlike(first: readonly Compared[], second: readonly Compared[]): void {
  assert.equal(first.length, second.length)
  for (const [index, { about, shown }] of first.entries())
    assert.deepEqual(second[index]!.shown, shown, about)
}
