import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { jsonHere } from '../../../../packages/server/testing/command-line/run-here.ts'
import { start } from '../../harness/fleetgate.ts'
import { newDeployment } from '../../harness/new-deployment.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'

const START = Date.parse('2025-03-01T00:00:00Z')
const ROWS = 12_000
const KILLS = 10
const at = (row: number) => new Date(START + row * 10_000).toISOString()
/** All but the first 1,000 and the last 1,000. */
const RANGE = ['--from', at(1_000), '--to', at(ROWS - 1_001)]
const EVER = ['--from', at(0), '--to', at(ROWS)]

/** A deployment with the drive of one object. */
async function drivenVan() {
  const { args } = await newDeployment()
  const { id } = await jsonHere(['org', 'create', 'Acme', ...args])
  const lines = Array.from({ length: ROWS }, (_, row) =>
    JSON.stringify({
      ...{ ident: 'van', time_device: at(row), latitude: 41 + row / 10_000, longitude: 2 },
      ...{ speed: 40, driver: 'A. Kaya' },
    }),
  )
  const file = join(temporaryFolder(), 'van.ndjson')
  writeFileSync(file, lines.join('\n'))
  const org = ['--org', String(id)]
  const kept = ['--create-objects', '--attribute', 'driver=driver']
  await jsonHere(['import', 'positions', ...org, ...kept, file, ...args])
  return { args, whose: [...org, '--object', '1', ...args] }
}

/** Starts a command again and again, and kills it in its work, or until it is done. `left`: what is left of its work. */
async function killAgain(command: string[], left: () => Promise<number>): Promise<void> {
  let [before, hits, afterMs] = [ROWS, 0, 400]
  while (hits < KILLS && before > 2_000) {
    const child = start([...command, '--yes', '--quiet'])
    const ended = once(child, 'exit')
    await Promise.race([ended, wait(afterMs)])
    child.kill('SIGKILL')
    await ended
    const count = await left()
    assert.ok(count >= 2_000 && count <= before, `${count} of ${before}`)
    if (count < before) hits += 1
    // The program needs some hundred milliseconds before its first slice.
    else afterMs += 40
    before = count
  }
  assert.ok(hits > 1, 'it was killed in its work')
}

it('A deletion of positions that is killed again and again continues where it was', async () => {
  const { args, whose } = await drivenVan()
  const storedIn = async (range: string[]): Promise<number> =>
    (await jsonHere(['positions', 'delete', ...whose, ...range, '--dry-run'])).positions
  assert.equal(await storedIn(EVER), ROWS)
  await killAgain(['positions', 'delete', ...whose, ...RANGE], () => storedIn(EVER))
  const { complete } = await jsonHere(['positions', 'delete', ...whose, ...RANGE, '--yes'])
  assert.equal(complete, true)
  assert.equal(await storedIn(RANGE), 0)
  assert.equal(await storedIn(EVER), 2_000)
  const { damaged, missing } = await jsonHere(['verify', ...args, '--quiet'])
  assert.deepEqual([damaged, missing], [[], []])
})

it('An erasure of values that is killed again and again continues where it was', async () => {
  const { args, whose } = await drivenVan()
  const left = async (): Promise<number> => {
    const { items } = await jsonHere(['attributes', 'find', 'driver', ...whose])
    return items[0].positions
  }
  assert.equal(await left(), ROWS)
  const erase = ['attributes', 'erase', 'driver', ...whose, ...RANGE]
  await killAgain(erase, left)
  await jsonHere([...erase, '--yes', '--quiet'])
  assert.equal(await left(), 2_000)
  const stored = await jsonHere(['positions', 'delete', ...whose, ...EVER, '--dry-run'])
  assert.equal(stored.positions, ROWS)
  const { damaged, missing } = await jsonHere(['verify', ...args, '--quiet'])
  assert.deepEqual([damaged, missing], [[], []])
})
