import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  ATTRIBUTE_DEFAULTS,
  type AttributeEntry,
} from '../../src/base/domain/attributes/attribute-catalogue.ts'
import type { Fix } from '../../src/base/domain/position/fix.ts'
import type { FoldRules } from '../../src/base/domain/position/fold-state.ts'
import type { LevelChange } from '../../src/base/domain/record.ts'
import { LAST_TIME } from '../../src/base/domain/time/time.ts'
import { readPlaces } from '../../src/engine/journeys/known-places.ts'
import { levelEntries } from '../../src/engine/journeys/levels/level-digests.ts'
import { deriveObjectLevels } from '../../src/engine/journeys/levels/object-levels.ts'
import type { ChangeView } from '../../src/engine/store/change-log.ts'
import type { Store } from '../../src/engine/store/store.ts'
import { atHand, runAtOnce } from '../../src/engine/tracking/work.ts'
import { drivesOn } from '../store-contract/drives.ts'
import { fixAt, NOW, type OpenedStore } from '../store-contract/fixture.ts'
import { deriverOn } from './handed-deriver.ts'
import { longitudeAt } from './trial-places.ts'

const MINUTE = 60_000
const START = NOW - 3 * 24 * 60 * MINUTE
const ALWAYS = { from: 0, to: LAST_TIME }

/** Some rows of an object with two tanks, which are filled and drained now and then. */
const anyPart = fc.record({
  count: fc.integer({ min: 3, max: 40 }),
  every: fc.constantFrom(30_000, 2 * MINUTE, 10 * MINUTE, 50 * MINUTE),
  drives: fc.boolean(),
  ignition: fc.constantFrom(true, true, false, null),
  /** Tenths of a liter by which the content changes evenly. */
  change: fc.constantFrom(0, -40, -40, -150, -800, 1_500, 700, -2_000),
  slosh: fc.constantFrom(0, 3, 25),
})

const anyFixes: fc.Arbitrary<Fix[]> = fc
  .array(anyPart, { minLength: 1, maxLength: 14 })
  .map((parts) => {
    let [time, metres, level] = [START, 0, 2_500]
    return parts.flatMap(({ count, every, drives, ignition, change, slosh }) =>
      Array.from({ length: count }, (_, at) => {
        time += every
        if (drives) metres += every / 100
        level = Math.min(4_000, Math.max(50, level + change / count))
        const fuel = Math.round(level + slosh * ((at * 7) % 5) - 2 * slosh) / 10
        return fixAt(time, {
          longitude: longitudeAt(metres),
          speed: drives ? 36 : 0,
          ignition: drives || ignition,
          attributes: [
            { name: 'fuel', value: fuel },
            ...(at % 3 === 0 ? [{ name: 'urea', value: 50 - fuel / 10 }] : []),
          ],
        })
      }),
    )
  })

/** Something happens after a batch of rows. Edits concern the past too. */
const anyStep = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ is: 'derive' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      is: fc.constant('edit' as const),
      name: fc.constantFrom('fuel', 'urea'),
      settings: fc.constantFrom<Partial<AttributeEntry>>(
        { scale: 2 },
        { scale: 1, threshold: 30 },
        { threshold: null },
        { smoothing: 0 },
        { sources: [{ name: 'fuel', capacity: 390 }, 'urea'] },
        { sources: ['urea'] },
        { isLevel: false, threshold: null, smoothing: 300 },
        { isLevel: true },
        { isPublic: true },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ is: fc.constant('place' as const), metres: fc.integer({ max: 9_000 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ is: 'fold' as const }) },
  { weight: 3, arbitrary: fc.constant({ is: 'nothing' as const }) },
)

const anyTrial = anyFixes.chain((fixes) =>
  fc.record({
    fixes: fc.constant(fixes),
    late: fc.shuffledSubarray(fixes, { maxLength: Math.min(40, fixes.length) }),
    /** Other values for rows that are stored. */
    again: fc.subarray(fixes, { maxLength: Math.min(3, fixes.length) }),
    sizes: fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 8 }),
    steps: fc.array(anyStep, { minLength: 1, maxLength: 12 }),
    kills: fc.array(fc.constantFrom(null, null, 0, 1), { minLength: 1, maxLength: 5 }),
  }),
)
type LevelTrial = typeof anyTrial extends fc.Arbitrary<infer Trial> ? Trial : never

/** The changes of levels of a store are those of one derivation of all its rows, whatever came before. */
export function storedLevels(
  name: string,
  open: () => Promise<OpenedStore>,
  rules: FoldRules,
  seeds: number,
  skip: string | false = false,
): void {
  const numRuns = Number(process.env.SEEDS ?? seeds)
  // So that how many are found does not depend on chance.
  const seed = Number(process.env.SEED ?? 58)
  describe(`Changes of levels in ${name}`, { skip }, () => {
    it('depend on rows, catalogue and places alone, whatever the order, the edits and the kills', async () => {
      const { store, cleanUp } = await open()
      let found = 0
      await fc.assert(
        fc.asyncProperty(anyTrial, async (trial) => {
          found += await runTrial(store, rules, trial)
        }),
        { numRuns, seed },
      )
      await cleanUp()
      assert.ok(found > numRuns, `only ${found} changes`)
    })
  })
}

async function runTrial(store: Store, rules: FoldRules, trial: LevelTrial): Promise<number> {
  const { fixes, late, again, sizes, steps, kills } = trial
  const drives = await drivesOn(store, rules)
  const { organization } = drives
  const object = await drives.add()
  await store.attributes.change(organization, () => [levelOf('fuel'), levelOf('urea')])
  const deriver = deriverOn(store, organization, kills)
  const isLate = new Set(late)
  const others = again.map((fix) => ({ ...fix, attributes: [{ name: 'fuel', value: 111.1 }] }))
  const arriving = [...fixes.filter((fix) => !isLate.has(fix)), ...late, ...others]
  for (let at = 0, turn = 0; at < arriving.length; turn += 1) {
    const size = sizes[turn % sizes.length]!
    await drives.append(object, arriving.slice(at, at + size))
    at += size
    const step = steps[turn % steps.length]!
    if (step.is === 'derive') await deriver.slice()
    else if (step.is === 'fold') await drives.foldOn()
    else if (step.is === 'edit') await edit(store, organization, step.name, step.settings)
    else if (step.is === 'place') {
      const about = { name: 'P', description: null, icon: null, color: null, latitude: 30.25 }
      const site = { ...about, longitude: longitudeAt(step.metres), radius: 900 }
      await store.sites.put(organization, [site], NOW)
    }
  }
  await drives.foldOn()
  await deriver.all()
  const compared = await store.changeLog.view(organization, async (view) => {
    const stored = (await view.recordsIn(object, ALWAYS, ['levels'])).map(({ record }) => record)
    const expected = await derivedAtOnce(view, object)
    assert.deepEqual(inOrder(stored as LevelChange[]), inOrder(expected))
    return expected.length
  })
  await store.organizations.delete(organization)
  return compared!
}

function levelOf(name: string): AttributeEntry {
  const settings = { ...ATTRIBUTE_DEFAULTS, type: 'number' as const, decimals: 1, isLevel: true }
  return { ...settings, name, label: name, sources: [name] }
}

async function edit(
  store: Store,
  organization: number,
  name: string,
  settings: Partial<AttributeEntry>,
): Promise<void> {
  await store.attributes.change(organization, (entries) =>
    entries.map((entry) => {
      if (entry.name !== name) return entry
      const edited = { ...entry, ...settings }
      return edited.isLevel ? edited : { ...edited, threshold: null, smoothing: 300 }
    }),
  )
}

/** The changes of all levels of an object, from all of its rows in one go. */
async function derivedAtOnce(view: ChangeView, object: number): Promise<LevelChange[]> {
  const rows = await view.rows(object, -1, 1_000_000)
  const source = {
    rows: (after: number, limit: number) =>
      atHand(rows.filter(({ time }) => time > after).slice(0, limit)),
    changesIn: () => atHand([]),
    changeBefore: () => atHand(null),
  }
  const { puts } = runAtOnce(
    deriveObjectLevels({
      ...{ source, object, levels: [], touched: [ALWAYS], nextId: () => 0, now: 0 },
      names: (await view.states([object])).get(object)?.attributes ?? [],
      entries: levelEntries(await view.attributes()),
      newest: rows.at(-1)?.time ?? null,
      places: (await readPlaces(view)).index,
    }),
  )
  return puts.map(({ record }) => record as LevelChange)
}

function inOrder(changes: LevelChange[]): LevelChange[] {
  return changes.toSorted((a, b) => a.attribute - b.attribute || a.start - b.start)
}
