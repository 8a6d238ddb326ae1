import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { runHere } from '../../../testing/command-line/run-here.ts'
import { json, temporaryFolder } from '../../../testing/command-line/spawned.ts'
import { systemClock } from '../../base/domain/time/time.ts'
import type { Refolded, RefoldSubject } from '../../engine/store/position-store.ts'
import { foldRules } from '../../engine/tracking/rules/advance.ts'
import { foldAnew } from './recompute-command.ts'

const SUBJECT: RefoldSubject = { organization: 1, object: null }
const RULES = foldRules(systemClock)
const slice = (object: number, finished: boolean): Refolded => ({
  organization: 1,
  object,
  positions: 500,
  finished,
})

/** Positions of these objects; `slices` remain to be folded. */
function positionsOf(objects: number, slices: Refolded[]) {
  return {
    requestRefold: async () => objects,
    refold: async () => slices.shift() ?? null,
    pack: async () => ({ packed: 0, next: null }),
  }
}

describe('Folding an organization again', () => {
  it('counts its own work, though a server does some of it', async () => {
    const positions = positionsOf(3, [slice(1, false), slice(1, true), slice(3, true)])
    const seen: number[] = []
    const { signal } = new AbortController()
    const done = await foldAnew(positions, SUBJECT, RULES, signal, ({ mine }) =>
      seen.push(mine.positions),
    )
    assert.deepEqual(done, { objects: 3, mine: { objects: 2, positions: 1500 }, isWhole: true })
    assert.deepEqual(seen, [500, 1000, 1500])
  })

  it('counts an object once, though a late packet folds it again', async () => {
    const positions = positionsOf(1, [slice(1, true), slice(1, true)])
    const done = await foldAnew(positions, SUBJECT, RULES, new AbortController().signal)
    assert.equal(done.mine.objects, 1)
  })

  it('stops after the current slice', async () => {
    const stopping = new AbortController()
    const positions = positionsOf(2, [slice(1, true), slice(2, true)])
    const done = await foldAnew(positions, SUBJECT, RULES, stopping.signal, () => stopping.abort())
    assert.deepEqual(done, { objects: 2, mine: { objects: 1, positions: 500 }, isWhole: false })
  })
})

/** A drive north at 36 km/h, a fix every 10 seconds; its device's odometer gains 150 m with each. */
const DRIVE = Array.from({ length: 600 }, (_, i) => {
  const time = new Date(Date.UTC(2025, 2, 3, 8) + i * 10_000).toISOString()
  return `a,${time},${(41 + i * 0.0009).toFixed(6)},2.1,36,${(1000 + i * 0.15).toFixed(3)}`
})

async function driven(t: TestContext): Promise<string[]> {
  const folder = await temporaryFolder(t)
  const data = ['--data', folder]
  await json(['org', 'create', 'Acme', ...data])
  const file = join(folder, 'drive.csv')
  const head = 'ident,time_device,latitude,longitude,speed,odometer'
  await writeFile(file, [head, ...DRIVE].join('\n'))
  await json(['import', 'positions', '--org', '1', '--create-objects', file, ...data])
  return ['--org', '1', ...data]
}

describe('fleetgate recompute', () => {
  it('applies changed settings to stored positions', async (t) => {
    const org = await driven(t)
    const odometer = async () => (await json(['objects', 'show', '1', ...org])).odometer
    assert.ok(Math.abs((await odometer()) - 59.9) < 0.6, 'as the positions have it')
    const { stderr } = await runHere([
      'objects',
      'update',
      '1',
      '--odometer-type',
      'sensor',
      '--odometer-offset',
      '7',
      ...org,
    ])
    assert.match(stderr, /'fleetgate recompute --org 1 --object 1' applies it/)
    assert.ok((await odometer()) < 61, 'nothing is folded anew by itself')
    assert.deepEqual(await json(['recompute', '--object', '1', ...org]), {
      organization: 1,
      object: 1,
      objects: 1,
      done_here: { objects: 1, positions: 600 },
      complete: true,
    })
    assert.equal(await odometer(), 1096.85)
  })

  it('recommends nothing if no result would change', async (t) => {
    const org = await driven(t)
    for (const change of [
      ['--name', 'B'],
      ['--maximum-hdop', '3'],
      ['--odometer-type', 'system'],
    ]) {
      const { stderr } = await runHere(['objects', 'update', '1', ...change, ...org])
      assert.equal(stderr, '', change.join(' '))
    }
  })

  it('reports its work, and that nothing remains to do', async (t) => {
    const org = await driven(t)
    const all = await runHere(['recompute', ...org])
    assert.deepEqual([all.code, all.stdout], [0, 'Recomputed 1 object with 600 positions\n'])
    await json(['org', 'create', 'Empty', ...org.slice(2)])
    const none = await runHere(['recompute', '--org', '2', ...org.slice(2)])
    assert.deepEqual([none.code, none.stdout], [0, 'There are no positions to recompute\n'])
  })

  it('names missing ids', async (t) => {
    const org = await driven(t)
    const object = await runHere(['recompute', '--object', '9', ...org])
    assert.equal(object.code, 1)
    assert.match(object.stderr, /has no object 9; 'fleetgate objects list --org 1' lists/)
    const organization = await runHere(['recompute', '--org', '9', ...org.slice(2)])
    assert.equal(organization.code, 1)
    assert.match(organization.stderr, /no organization 9; 'fleetgate org list' lists/)
  })
})
