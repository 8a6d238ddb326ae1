import { API_KEY, newSecret } from '../packages/server/src/base/access/secret.ts'
import { ORGANIZATION_DEFAULTS } from '../packages/server/src/base/domain/organization.ts'
import { bareFix, type Fix } from '../packages/server/src/base/domain/position/fix.ts'
import { DAY_MS, systemClock } from '../packages/server/src/base/domain/time/time.ts'
import type { Store } from '../packages/server/src/engine/store/store.ts'
import { foldRules } from '../packages/server/src/engine/tracking/rules/advance.ts'
import { identOf } from './feed-packets.ts'
import { isSmall, progress } from './report.ts'

export const OBJECTS = isSmall ? 1_000 : 50_000
/** One each ten minutes. */
export const ROWS_A_DAY = 144
const STEP_MS = DAY_MS / ROWS_A_DAY
const BATCH = 5_000
const START = Date.now() - 3 * DAY_MS

const rules = foldRules(systemClock)

/** An organization with many objects that report every ten minutes. */
export type LargeFleet = { organization: number; key: string }

export async function addLargeFleet(into: Store): Promise<LargeFleet> {
  const now = Date.now()
  const named = { ...ORGANIZATION_DEFAULTS, name: 'Large', maxObjects: OBJECTS }
  const { id: organization } = await into.organizations.create(named, now)
  const { secret: key, ...stored } = newSecret(API_KEY)
  await into.keys.issue(organization, { ...stored, name: 'load', expiresAt: null }, now)
  for (let from = 0; from < OBJECTS; from += BATCH) {
    const idents = Array.from({ length: Math.min(BATCH, OBJECTS - from) }, (_, i) =>
      identOf(from + i),
    )
    await into.objects.ensure(organization, idents, now)
  }
  return { organization, key }
}

/** Adds the rows of a day as a live fleet does. The late ones come at the end. */
export async function addDay(
  into: Store,
  { organization }: LargeFleet,
  day: number,
  lateShare: number,
): Promise<void> {
  const ids = (await into.objects.list(organization)).map(({ id }) => id)
  const late: { object: number; fix: Fix }[] = []
  const every = lateShare === 0 ? Number.POSITIVE_INFINITY : 1 / lateShare
  let number = 0
  for (let step = 0; step < ROWS_A_DAY; step += 1) {
    for (let from = 0; from < ids.length; from += BATCH) {
      const batch = ids.slice(from, from + BATCH).map((object) => ({
        object,
        fix: fixAt(object, day * ROWS_A_DAY + step),
      }))
      const inTime = batch.filter((each) => {
        number += 1
        const isLate = number % every === 0
        if (isLate) late.push(each)
        return !isLate
      })
      await into.positions.append(organization, inTime, rules)
    }
    if (step % 24 === 23) progress(`day ${day + 1}, hour ${(step + 1) / 6}`)
  }
  for (let from = 0; from < late.length; from += BATCH) {
    await into.positions.append(organization, late.slice(from, from + BATCH), rules)
  }
}

/** The fix of an object, `ROWS_A_DAY` of them a day. */
export function fixAt(object: number, step: number): Fix {
  const time = START + step * STEP_MS + (object % 600) * 1_000
  return {
    ...bareFix(time, Date.now(), 30 + (object % 1_000) / 1e3 + step / 1e4, -97 - step / 2e4),
    speed: 40 + (step % 50) / 2,
    angle: (step * 7) % 360,
  }
}
