import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import { anyLevels, anyPath, CHANGES, LEVELS } from './any-path.ts'
import {
  anyDrives,
  anyGrants,
  anyLongGrants,
  anyMovingDrives,
  type Difference,
  fixesOf,
} from './any-world.ts'
import { type Answer, openWorlds, type World } from './granted-world.ts'

/** `WORLDS=300`: so many pairs for each property, other ones each time. */
const { WORLDS } = process.env
const RUNS = { numRuns: Number(WORLDS ?? 8), ...(WORLDS === undefined && { seed: 58 }) }

describe('Two worlds that differ outside of the grants of a key alone', async () => {
  const worlds = await openWorlds()
  after(worlds.close)

  /** All that a key reads of a world, before late positions come and after them. */
  async function answersOf(
    world: World,
    fixes: ReturnType<typeof fixesOf>,
    { paths, feeds }: { paths: readonly string[]; feeds: readonly string[] },
  ): Promise<Answer[]> {
    const answers: Answer[] = []
    const take = async (path: string) => {
      const { cursor, ...answer } = await world.get(path)
      answers.push(answer)
      return cursor
    }
    await world.append(fixes.filter(({ isLate }) => !isLate))
    const cursors: (string | undefined)[] = []
    for (const feed of feeds) cursors.push(await take(feed))
    await world.append(fixes.filter(({ isLate }) => isLate))
    for (const cursor of cursors) await take(`/changes?cursor=${cursor}&limit=10000`)
    for (const path of paths) await take(path)
    assert.deepEqual(world.failures(), [])
    await world.close()
    return answers
  }

  function alike(
    difference: Difference,
    grantedDrives: [typeof anyDrives, typeof anyGrants],
    anyAsked: fc.Arbitrary<string>,
    feeds: readonly string[],
  ) {
    let rows = 0
    const property = fc.asyncProperty(
      ...grantedDrives,
      fc.array(anyAsked, { minLength: 20, maxLength: 20 }),
      async (drives, grants, paths) => {
        const answers = async (each: Difference) =>
          answersOf(await worlds.open(grants), fixesOf(drives, grants, each), { paths, feeds })
        const [first, second] = [await answers('none'), await answers(difference)]
        for (const [at, answer] of first.entries())
          assert.deepEqual(comparedOf(second[at]!, difference), comparedOf(answer, difference))
        for (const { path, status, body } of first) {
          const isClosed = status === 400 && path.includes('by=driver')
          assert.ok([200, 404].includes(status) || isClosed, `${path}: ${status} ${body}`)
          if (body.includes('latitude')) rows += 1
        }
      },
    )
    return fc
      .assert(property, { ...RUNS, endOnFailure: true })
      .then(() => assert.ok(rows > RUNS.numRuns, `${rows} answers with rows`))
  }

  it('have the same answers, byte for byte, if values differ', () =>
    alike(
      'values',
      [anyDrives, anyGrants],
      anyPath.filter((path) => !path.includes('levels')),
      CHANGES,
    ))

  it('have the same changes of levels if hidden levels differ a little', () =>
    alike('levels', [anyMovingDrives, anyLongGrants], anyLevels, LEVELS))

  it('have the same answers but for counters if positions differ', () =>
    alike(
      'positions',
      [anyDrives, anyGrants],
      anyPath.filter((path) => !/levels|csv|xlsx|gpx|kml/.test(path)),
      CHANGES,
    ))
})

/**
 * These depend on positions outside of the grants, by the contract: counters, because they continue between two grants, and
 * whether a newer position had come before.
 */
const OF_ALL =
  /"((start_|end_)?(engine_hours|odometer)|mileage|engine_hours_ms|odometer_mm|mileage_mm|counters_digest|late)":("[0-9a-f]+"|[\d.]+|null|true|false)/g

/** The order in which one change names records is that of their ids, which are not compared. */
function comparedOf({ headers, body, ...answer }: Answer, difference: Difference) {
  if (difference !== 'positions') return { ...answer, headers, body }
  const entries = body.slice(0, body.lastIndexOf(']')).replaceAll(OF_ALL, '').split('{"type":')
  return {
    ...answer,
    headers: headers.filter(([name]) => name !== 'etag'),
    entries: entries.map((each) => each.replace(/,$/, '')).toSorted(),
  }
}
