import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { applyPage, newReplica, startAgain } from '../harness/following/replica.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { filledAndDrained, kindsOf, tankFleet, tankRows } from './tank.ts'

const fleet = await startFleet()
const near = (value: number, expected: number) => Math.abs(value - expected) < 3

describe('GET /levels after an edit', async () => {
  const tanks = await tankFleet(fleet, [...filledAndDrained('a'), ...filledAndDrained('b')])
  const [a, b] = tanks.ids as [number, number]
  const org = ['--org', String(tanks.id)]
  await tanks.until((all) => kindsOf(all).join() === 'filled,drained,filled,drained')
  const amounts = (all: Json[], id = a) =>
    all.filter(({ object_id }) => object_id === id).map(({ amount }) => amount as number)

  it('derives the whole past again by another scale or threshold, and ends cursors with levels', async () => {
    const cursorOf = async (types: string) =>
      resultOf(await tanks.get(`/changes?from=now&types=${types}`)).cursor as string
    const edits: [string[], (all: Json[]) => boolean][] = [
      [['--scale', '0.5'], (all) => near(amounts(all)[0]!, 70) && near(amounts(all)[1]!, 40)],
      [['--threshold', '50'], (all) => all.length === 2 && near(amounts(all)[0]!, 70)],
      [['--threshold', 'none'], (all) => all.length === 4],
      [['--smoothing', '0'], (all) => all.length === 4 && all[0]!.revision > 0],
      [['--scale', '1', '--smoothing', '300'], (all) => near(amounts(all)[0]!, 140)],
    ]
    for (const [options, holds] of edits) {
      const [levels, others] = [await cursorOf('levels'), await cursorOf('positions,trips')]
      await tanks.set('fuel', ...options)
      assert.equal((await tanks.get(`/changes?cursor=${levels}`)).status, 410, options.join(' '))
      assert.equal((await tanks.get(`/changes?cursor=${others}`)).status, 200, options.join(' '))
      await tanks.until(holds)
    }
    const [levels] = [await cursorOf('levels')]
    await tanks.set('fuel', '--label', 'Fuel in the tank')
    assert.equal((await tanks.get(`/changes?cursor=${levels}`)).status, 200)
  })

  it('derives one object again if a source with a table takes that object alone', async () => {
    const before = await tanks.levels(`&ids=${b}`)
    const source = {
      name: 'fuel',
      table: [
        [0, 0],
        [400, 100],
      ],
      objects: [a],
      capacity: 100,
    }
    await tanks.set('fuel', '--sources', JSON.stringify([source, 'fuel']))
    const found = await tanks.until((all) => near(amounts(all)[0]!, 35))
    assert.ok(near(amounts(found)[1]!, 20))
    assert.deepEqual(await tanks.levels(`&ids=${b}`), before)
    await tanks.set('fuel', '--sources', 'fuel')
    await tanks.until((all) => near(amounts(all)[0]!, 140))
  })

  it('shows the edited places at a change, whose id stays', async () => {
    const [filled] = await tanks.levels(`&ids=${a}`)
    const { id, revision, latitude, longitude } = filled!
    const file = join(temporaryFolder(), 'sites.csv')
    writeFileSync(file, `name,latitude,longitude,radius\nPump,${latitude},${longitude},300\n`)
    await fleet.run('import', 'sites', file, ...org)
    const [site] = resultOf(await tanks.get('/sites')).filter(({ name }: Json) => name === 'Pump')
    const [inside] = await tanks.until(([first]) => first!.site_ids.length === 1)
    assert.deepEqual([inside!.id, inside!.site_ids], [id, [site.id]])
    assert.ok(inside!.revision > revision)
    await fleet.run('sites', 'delete', String(site.id), '--yes', ...org)
    const [left] = await tanks.until(([first]) => first!.site_ids.length === 0)
    assert.equal(left!.id, id)
  })

  it('has no changes of a level that is gone', async () => {
    await tanks.set('fuel', '--no-is-level')
    assert.deepEqual(await tanks.until((all) => all.length === 0), [])
    await tanks.set('fuel', '--is-level')
    await tanks.until((all) => all.length === 4)
    await fleet.run('attributes', 'remove', 'fuel', '--yes', ...org)
    assert.deepEqual(await tanks.levels(), [])
  })
})

describe('A copy by /changes while the catalogue is edited', async () => {
  it('has the changes of levels that the list has', async () => {
    const tanks = await tankFleet(fleet, filledAndDrained('copied'))
    await tanks.until((all) => all.length === 2)
    const replica = newReplica()
    let cursor: string | undefined
    let restarts = 0
    async function read(): Promise<void> {
      for (let hasMore = true; hasMore; ) {
        const query = cursor ? `cursor=${cursor}` : 'from=snapshot&types=levels,objects'
        const answer = await tanks.get(`/changes?${query}&limit=2`)
        if (answer.status === 410) {
          startAgain(replica)
          cursor = undefined
          restarts += 1
          continue
        }
        const page = resultOf(answer)
        applyPage(replica, page, Date.now())
        cursor = page.cursor
        hasMore = page.has_more
      }
    }
    const next = tankRows('copied', 100, [
      [30, 95],
      [4, 220],
      [120, 190, true],
    ])
    const later = next.map((row) => ({ ...row, time_device: row.time_device + 86_400_000 }))
    const steps = [
      () => tanks.set('fuel', '--threshold', '100'),
      () => tanks.post(later.slice(0, 60)),
      () => tanks.set('fuel', '--threshold', 'none'),
      () => tanks.post(later.slice(60)),
      () => tanks.set('fuel', '--scale', '2'),
    ]
    await read()
    for (const step of steps) {
      await step()
      await read()
    }
    const listed = await tanks.until((all) => near(all[0]?.amount ?? 0, 280) && all.length === 3)
    await read()
    const kept = [...replica.records.level.values()].sort((one, other) => one.id - other.id)
    assert.deepEqual(
      kept,
      listed.toSorted((one, other) => one.id - other.id),
    )
    assert.equal(restarts, 3)
  })
})
