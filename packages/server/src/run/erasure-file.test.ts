import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { driveOf } from '../../testing/store-contract/drives.ts'
import { eraseAll } from '../../testing/store-contract/erasures.ts'
import {
  ALL_TIME,
  NOW,
  newObject,
  newOrganization,
  objectSettings,
  recordsOf,
} from '../../testing/store-contract/fixture.ts'
import { readErasureLine } from '../base/domain/erasure-line.ts'
import { systemClock } from '../base/domain/time/time.ts'
import { openSqliteStore } from '../data/sqlite/open.ts'
import { MAX_ERASURES } from '../engine/store/position-store.ts'
import type { Store } from '../engine/store/store.ts'
import { foldRules } from '../engine/tracking/rules/advance.ts'
import { eraseAgain, erasureLines } from '../work/erasure-lines.ts'
import { backUp, openStore } from './compose.ts'

const RULES = foldRules(systemClock)
const DRIVE = driveOf(20, 60)
const RANGE = { from: DRIVE[5]!.timeDevice, to: DRIVE[9]!.timeDevice }

type Deployment = {
  root: string
  folder: string
  store: Store
  organization: number
  object: number
}

/** A data folder with a drive. */
async function drivenFolder(t: TestContext): Promise<Deployment> {
  const root = mkdtempSync(join(tmpdir(), 'fleetgate-erasures-'))
  t.after(() => rmSync(root, { recursive: true }))
  const folder = join(root, 'data')
  const store = await openStore({ folder })
  const organization = await newOrganization(store)
  const object = await newObject(store, organization, '1')
  await store.positions.append(
    organization,
    DRIVE.map((fix) => ({ object, fix })),
    RULES,
  )
  return { root, folder, store, organization, object }
}

async function storedIn(store: Store, { organization, object }: Deployment): Promise<number> {
  await eraseAll(store, RULES)
  const { positions } = await store.positions.storedIn(organization, object, ALL_TIME)
  const history = await store.positions.history(organization, object, ALL_TIME, null)
  assert.equal((await recordsOf(history)).length > 0, positions > 0)
  return positions
}

it('A backup from before a deletion loses the range again when it is put into the place of the folder', async (t) => {
  const driven = await drivenFolder(t)
  const { root, folder, store, organization, object } = driven
  await backUp(store, folder, join(root, 'backup'), () => undefined)
  assert.ok(await store.positions.erase(organization, object, { ranges: [RANGE] }, NOW))
  assert.equal(await storedIn(store, driven), 15)
  await store.close()
  rmSync(folder, { recursive: true })
  cpSync(join(root, 'backup'), folder, { recursive: true })
  const restored = await openStore({ folder })
  t.after(restored.close)
  const late = { object, fix: DRIVE[7]! }
  assert.deepEqual(await restored.positions.append(organization, [late], RULES), ['erased'])
  assert.equal(await storedIn(restored, driven), 15)
})

it('A backup from before an erasure of values loses them again, by a line without them', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'fleetgate-erasures-'))
  t.after(() => rmSync(root, { recursive: true }))
  const folder = join(root, 'data')
  const store = await openStore({ folder })
  const organization = await newOrganization(store)
  const object = await newObject(store, organization, '1')
  const batch = DRIVE.map((fix) => {
    return { object, fix: { ...fix, attributes: [{ name: 'driver', value: 'A. Kaya' }] } }
  })
  await store.positions.append(organization, batch, RULES)
  const countIn = async ({ positions }: Store) => {
    await eraseAll({ positions } as Store, RULES)
    return (await positions.states(organization, [object])).get(object)!.attributes[0]!.count
  }
  await backUp(store, folder, join(root, 'backup'), () => undefined)
  const ranges = [RANGE, { from: DRIVE[15]!.timeDevice, to: DRIVE[15]!.timeDevice }]
  const what = { ranges, attribute: 'driver' }
  assert.equal(await store.positions.erase(organization, object, what, NOW), 2)
  assert.equal(await countIn(store), 14)
  await store.close()
  rmSync(folder, { recursive: true })
  cpSync(join(root, 'backup'), folder, { recursive: true })
  const restored = await openStore({ folder })
  t.after(restored.close)
  assert.equal(await countIn(restored), 14)
  const lines = readFileSync(join(root, 'erasures.ndjson'), 'utf8')
  assert.equal(lines.trimEnd().split('\n').length, 2)
  assert.ok(lines.includes('"attribute":"driver"') && !lines.includes('Kaya'))
})

it('The file of erased ranges has one line for each, and no place; lines of others count for nothing', async (t) => {
  const driven = await drivenFolder(t)
  const { root, store, organization, object } = driven
  const file = join(root, 'erasures.ndjson')
  assert.equal(
    await store.positions.erase(organization, object + 1, { ranges: [RANGE] }, NOW),
    null,
  )
  assert.ok(!existsSync(file))
  await store.positions.erase(organization, object, { ranges: [RANGE] }, NOW)
  const [line, ...others] = readFileSync(file, 'utf8').trimEnd().split('\n')
  assert.deepEqual(others, [])
  const { deployment, ...named } = JSON.parse(line!)
  const [from, to, at] = [RANGE.from, RANGE.to, NOW].map((time) => new Date(time).toISOString())
  assert.deepEqual(named, { organization, object, created_at: at, from, to, erased_at: at })
  await store.close()
  const other = await drivenFolder(t)
  t.after(other.store.close)
  const whose = { deployment, organization, object, createdAt: NOW, attribute: null }
  const foreign = [{ ...whose, ...RANGE, erasedAt: NOW }]
  const stored = await erasureLines(other.store)
  assert.deepEqual(await eraseAgain(other.store, foreign, stored), {
    erased: 0,
    others: 1,
    refused: 0,
  })
  assert.deepEqual(await erasureLines(other.store), [])
  assert.equal(await storedIn(other.store, other), 20)
})

it('An object that was made again under the same id loses nothing', async (t) => {
  const driven = await drivenFolder(t)
  const { folder, store, organization, object } = driven
  await store.positions.erase(organization, object, { ranges: [RANGE] }, NOW)
  await store.objects.delete(organization, object)
  await store.objects.put(organization, [{ ...objectSettings('2'), id: object }], NOW + 1)
  const batch = DRIVE.map((fix) => ({ object, fix }))
  assert.ok(!(await store.positions.append(organization, batch, RULES)).includes('erased'))
  await store.close()
  const again = await openStore({ folder })
  t.after(again.close)
  assert.equal(await storedIn(again, driven), DRIVE.length)
})

it('The file of erased ranges goes on after a line that was cut off', async (t) => {
  const { root, folder, store, organization, object } = await drivenFolder(t)
  const file = join(root, 'erasures.ndjson')
  await store.positions.erase(organization, object, { ranges: [RANGE] }, NOW)
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, -9))
  await store.positions.erase(organization, object, { ranges: [{ from: NOW, to: NOW }] }, NOW)
  assert.deepEqual(linesIn(file), [null, NOW])
  await store.close()
  await (await openStore({ folder })).close()
  assert.deepEqual(linesIn(file), [null, NOW, RANGE.from])
})

it('A deletion that the store refuses is not in the file of erased ranges', async (t) => {
  const { root, folder, store, organization, object } = await drivenFolder(t)
  await store.close()
  const bare = await openSqliteStore(folder)
  const erase = ({ positions }: Store, from: number) =>
    positions.erase(organization, object, { ranges: [{ from, to: from }] }, NOW)
  await Promise.all(Array.from({ length: MAX_ERASURES }, (_, from) => erase(bare, from)))
  await bare.close()
  const again = await openStore({ folder })
  t.after(again.close)
  assert.equal(await erase(again, MAX_ERASURES), 'too_many')
  assert.equal(linesIn(join(root, 'erasures.ndjson')).length, MAX_ERASURES)
})

it('A file of erased ranges that cannot be written refuses deletions alone', async (t) => {
  const driven = await drivenFolder(t)
  const { root, folder, store, organization, object } = driven
  await store.positions.erase(organization, object, { ranges: [RANGE] }, NOW)
  await store.close()
  process.env.FLEETGATE_ERASURES = join(root, 'erasures.ndjson', 'below', 'a-file')
  t.after(() => delete process.env.FLEETGATE_ERASURES)
  const again = await openStore({ folder })
  t.after(again.close)
  const { positions } = again
  await assert.rejects(
    positions.erase(organization, object, { ranges: [{ from: NOW, to: NOW }] }, NOW),
    {
      name: 'StoreUnavailable',
      message: /FLEETGATE_ERASURES names another place/,
    },
  )
  assert.equal((await positions.erasures(organization, object)).length, 1)
})

/** The start of each line of a file of erased ranges. Null: it cannot be read. */
function linesIn(file: string): (number | null)[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  return lines.map((line) => readErasureLine(line)?.from ?? null)
}
