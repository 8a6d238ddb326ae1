import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyLongDrives, anySteps, runTrial } from '../../testing/changes-trial.ts'
import { fixAt, idOf, NOW, objectSettings } from '../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../testing/stores/temporary-sqlite-store.ts'
import { CHANGE_TYPES } from '../domain/change-types.ts'
import { ORGANIZATION_DEFAULTS } from '../domain/organization.ts'
import { bareFix } from '../domain/position/fix.ts'
import { foldRules } from '../fold/rules/fold-rules.ts'
import type { Store } from '../store/store.ts'
import { makePage } from './make-page.ts'
import type { Page, PageEntry } from './page.ts'
import { logPlace, type Place } from './place.ts'

/** The number of fleets. */
const RUNS = Number(process.env.CHANGES_RUNS ?? 25)
/** Fleets in which a fault must be noticed. */
const FAULTY_RUNS = 300

const selection = { types: new Set(CHANGE_TYPES), ids: null }
const rules = foldRules({ now: () => NOW + 365 * 86_400_000 } as never)

describe('A replica that is made from pages of changes', () => {
  it('equals the fleet, whatever happened and however it was read', async () => {
    await onStore(async (store) => {
      await fc.assert(
        fc.asyncProperty(anySteps, (steps) => runTrial(store, rules, steps)),
        { numRuns: RUNS },
      )
    })
  })

  it('has the state of an object that was deleted and came back under its id', async () => {
    const fixes = [fixAt(NOW - 1_000)]
    const arrival = { fixes, batches: [fixes] }
    await onStore((store) =>
      runTrial(store, rules, [
        { is: 'read', limit: 1_000, pages: 1 },
        { is: 'drive', which: 0, arrival },
        { is: 'delete', which: 0, back: arrival },
      ]),
    )
  })

  const faults: Record<string, () => (page: Page) => Page> = {
    'an entry of a log page is missing': () => inLog((entries) => entries.slice(1)),
    'a shift comes twice': () =>
      inLog((entries) =>
        entries.flatMap<PageEntry>((entry) =>
          entry.type === 'counters' ? [entry, entry] : [entry],
        ),
      ),
    'every second page comes after the next one': () => {
      let held: readonly PageEntry[] | undefined
      return inLog((entries) => {
        const now = held === undefined ? [] : [...entries, ...held]
        held = held === undefined ? entries : undefined
        return now
      })
    },
    'an old page comes again after a later one': () => {
      let last: readonly PageEntry[] = []
      return inLog((entries) => {
        const again = [...entries, ...last]
        last = entries
        return again
      })
    },
  }
  for (const [fault, alter] of Object.entries(faults)) {
    const steps = fault === 'a shift comes twice' ? anyLongDrives : anySteps
    it(`differs if ${fault}`, async () => {
      await onStore(async (store) => {
        const { failed } = await fc.check(
          fc.asyncProperty(steps, (each) => runTrial(store, rules, each, alter())),
          { numRuns: FAULTY_RUNS, endOnFailure: true },
        )
        assert.ok(failed, 'no fleet noticed it')
      })
    })
  }
})

describe('Pages of the log', () => {
  it('show a state once to a reader who missed many changes', async () => {
    await onStore(async (store) => {
      const settings = { ...ORGANIZATION_DEFAULTS, name: 'Acme', maxObjects: 10 }
      const { id: organization } = await store.organizations.create(settings, NOW)
      const put = await store.objects.put(
        organization,
        [objectSettings('1'), objectSettings('2')],
        NOW,
      )
      const objects = put.map(idOf)
      for (let minute = 0; minute < 40; minute += 1) {
        const fixes = objects.map((object) => ({
          object,
          fix: { ...bareFix(NOW + minute * 60_000, NOW, 41 + minute / 100, 29), speed: 60 },
        }))
        await store.positions.append(organization, fixes, rules)
      }
      const counts = { positions: 0, states: [] as number[] }
      let place: Place = logPlace(0)
      for (let hasMore = true; hasMore; ) {
        const page: Page | null = await store.changeLog.view(organization, (view) =>
          makePage(view, place, { selection, limit: 10, now: NOW }),
        )
        for (const entry of page!.entries) {
          if ('count' in entry) counts.positions += entry.count
          if (entry.type === 'state') counts.states.push(entry.object.id)
        }
        ;({ next: place, hasMore } = page!)
      }
      assert.deepEqual(counts, { positions: 80, states: objects })
    })
  })
})

/** Alters the pages after the snapshot. */
function inLog(alter: (entries: readonly PageEntry[]) => readonly PageEntry[]) {
  return (page: Page): Page => (page.isSnapshot ? page : { ...page, entries: alter(page.entries) })
}

async function onStore(work: (store: Store) => Promise<void>): Promise<void> {
  const { store, cleanUp } = await temporaryStore()
  try {
    await work(store)
  } finally {
    await cleanUp()
  }
}
