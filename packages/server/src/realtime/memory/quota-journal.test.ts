import assert from 'node:assert/strict'
import fs, { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it, type TestContext } from 'node:test'
import fc from 'fast-check'
import { QuotaUnavailable } from '../realtime.ts'
import { openQuotaJournal, type QuotaJournal } from './quota-journal.ts'

const TODAY = 20_778

type Charge = { day: number; delta: number; objects: number[] }
const CHARGES: Charge[] = [
  { day: TODAY - 1, delta: 1, objects: [1] },
  { day: TODAY - 1, delta: 1, objects: [1, 2, Number.MAX_SAFE_INTEGER] },
  { day: TODAY, delta: 1, objects: [2, 3] },
  { day: TODAY, delta: -1, objects: [2] },
  { day: TODAY, delta: 1, objects: [1, 2, 3, 4, 5, 6, 7] },
]

let folder: string
let path: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fleetgate-journal-'))
})
after(() => rm(folder, { recursive: true }))
let files = 0
const newPath = () => join(folder, `quota-${++files}.journal`)

describe('The quota journal', () => {
  // It is opened a thousand times here, and a killed process needs no sync to find what it wrote.
  beforeEach((context) => replace(context, 'fsyncSync', () => undefined))
  afterEach(restore)

  it('gives, torn at any byte, exactly the whole frames before it', async () => {
    path = newPath()
    const ends = await frameEnds(path, CHARGES)
    const bytes = readFileSync(path)
    assert.equal(bytes.length, ends.at(-1))
    const torn = newPath()
    for (let length = 0; length <= bytes.length; length++) {
      writeFileSync(torn, bytes.subarray(0, length))
      const whole = ends.filter((end) => end <= length).length
      assertCounts(countsIn(torn), CHARGES.slice(0, whole), `torn at ${length}`)
    }
  })

  it('gives, with any byte changed, exactly the whole frames before it', async () => {
    path = newPath()
    const ends = await frameEnds(path, CHARGES)
    const bytes = readFileSync(path)
    const damaged = newPath()
    for (let at = 0; at < bytes.length; at++) {
      for (const mask of [0x01, 0x80, 0xff]) {
        const copy = Buffer.from(bytes)
        copy[at]! ^= mask
        writeFileSync(damaged, copy)
        const whole = ends.filter((end) => end <= at).length
        assertCounts(countsIn(damaged), CHARGES.slice(0, whole), `changed at ${at}`)
      }
    }
  })

  it('goes on after a torn tail as if it had never been', async () => {
    path = newPath()
    await frameEnds(path, CHARGES)
    writeFileSync(path, readFileSync(path).subarray(0, -3))
    const journal = openQuotaJournal(path)
    await append(journal, CHARGES[2]!)
    journal.close()
    assertCounts(countsIn(path), [...CHARGES.slice(0, -1), CHARGES[2]!])
  })

  it('takes zeros or other rubbish at its end for no frame', async () => {
    path = newPath()
    await frameEnds(path, CHARGES)
    const bytes = readFileSync(path)
    for (const tail of [Buffer.alloc(64), Buffer.alloc(64, 0xff), bytes.subarray(3)]) {
      writeFileSync(path, Buffer.concat([bytes, tail]))
      assertCounts(countsIn(path), CHARGES)
    }
  })

  it('loses nothing by compaction, wherever it falls, nor by a kill at any charge', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyCharge, { maxLength: 60 }),
        fc.nat(400),
        async (charges, above) => {
          const file = newPath()
          const killed = newPath()
          let journal = openQuotaJournal(file, above)
          for (const [done, charge] of charges.entries()) {
            await append(journal, charge)
            copyFileSync(file, killed)
            assertCounts(countsIn(killed), charges.slice(0, done + 1))
            if (done % 13 === 12) {
              journal.close()
              journal = openQuotaJournal(file, above)
            }
          }
          assertCounts(journal, charges)
          journal.close()
        },
      ),
      { numRuns: 30 },
    )
  })

  it('grows no longer than its counters ask for', async () => {
    path = newPath()
    const journal = openQuotaJournal(path, 1_000)
    for (let i = 0; i < 2_000; i++)
      await append(journal, { day: TODAY, delta: 1, objects: [1 + (i % 5)] })
    journal.close()
    assert.ok(statSync(path).size <= 1_000 + 24, `${statSync(path).size} bytes`)
    const counts = openQuotaJournal(path)
    assert.equal(counts.countsOf(TODAY).get(5), 400)
    counts.close()
  })

  it('keeps today and yesterday, and forgets what is older', async () => {
    path = newPath()
    const journal = openQuotaJournal(path)
    for (let day = TODAY - 9; day <= TODAY; day++)
      await append(journal, { day, delta: 1, objects: [1] })
    journal.close()
    const reopened = openQuotaJournal(path)
    assert.equal(reopened.countsOf(TODAY).get(1), 1)
    assert.equal(reopened.countsOf(TODAY - 1).get(1), 1)
    assert.equal(reopened.countsOf(TODAY - 5).get(1), 0)
    reopened.close()
  })

  it('keeps today’s counters while the clock is wrong by years, either way', async () => {
    for (const wrong of [TODAY + 3_650, TODAY - 3_650]) {
      path = newPath()
      let journal = openQuotaJournal(path)
      await append(journal, { day: TODAY - 1, delta: 1, objects: [1] })
      await append(journal, { day: TODAY, delta: 1, objects: [1] })
      await append(journal, { day: wrong, delta: 1, objects: [1] })
      await append(journal, { day: TODAY, delta: 1, objects: [1] })
      assert.equal(journal.countsOf(TODAY).get(1), 2)
      journal.close()
      journal = openQuotaJournal(path)
      await append(journal, { day: TODAY, delta: 1, objects: [1] })
      assert.equal(journal.countsOf(TODAY).get(1), 3)
      journal.close()
    }
  })

  it('is not readable to others', { skip: process.platform === 'win32' }, () => {
    path = newPath()
    openQuotaJournal(path).close()
    assert.equal(statSync(path).mode & 0o777, 0o600)
  })
})

describe('The quota journal, by the turn', () => {
  afterEach(restore)

  it('writes what a turn charges in one go, and acknowledges none before', async (context) => {
    path = newPath()
    const journal = openQuotaJournal(path)
    const { writeSync } = fs
    let writes = 0
    replace(context, 'writeSync', (...args: Parameters<typeof fs.writeSync>) => {
      writes++
      return writeSync(...args)
    })
    let acknowledged = 0
    const appends = CHARGES.map((charge) => append(journal, charge).then(() => acknowledged++))
    assertCounts(journal, CHARGES, 'seen by the next charge of the turn')
    await Promise.resolve()
    assert.deepEqual([writes, acknowledged], [0, 0])
    await Promise.all(appends)
    assert.deepEqual([writes, acknowledged], [1, CHARGES.length])
    journal.close()
    assertCounts(countsIn(path), CHARGES)
  })

  it('takes back all charges of a turn whose write broke off between them', async (context) => {
    path = newPath()
    const journal = openQuotaJournal(path)
    const { writeSync } = fs
    let calls = 0
    replace(
      context,
      'writeSync',
      (fd: number, bytes: Buffer, at: number, _: number, position: number) => {
        if (++calls > 1) throw new Error('ENOSPC')
        return writeSync(fd, bytes, at, 30, position)
      },
    )
    const appends = CHARGES.map((charge) => append(journal, charge))
    const outcomes = await Promise.allSettled(appends)
    assert.ok(outcomes.every((outcome) => outcome.status === 'rejected'))
    assertCounts(journal, [])
    restore(context)
    copyFileSync(path, `${path}.killed`)
    assertCounts(countsIn(`${path}.killed`), [])
  })

  it('writes what is under way when it is closed', async () => {
    path = newPath()
    const journal = openQuotaJournal(path)
    const appended = append(journal, CHARGES[1]!)
    journal.close()
    await appended
    assertCounts(countsIn(path), [CHARGES[1]!])
  })
})

describe('The quota journal on a failing disk', () => {
  afterEach(restore)

  it('refuses a charge that it cannot write, and is whole for the next', async (context) => {
    // Of the frame of seven objects it takes so many bytes and then no more: fewer, as many, and more
    // than the frame of the charge that follows has.
    for (const taken of [0, 7, 32, 71]) {
      path = newPath()
      const journal = openQuotaJournal(path)
      await append(journal, CHARGES[0]!)
      const { writeSync } = fs
      let calls = 0
      replace(
        context,
        'writeSync',
        (fd: number, bytes: Buffer, at: number, _: number, position: number) => {
          if (taken === 0 || ++calls > 1) throw new Error('ENOSPC')
          return writeSync(fd, bytes, at, taken, position)
        },
      )
      await assert.rejects(append(journal, CHARGES[4]!), QuotaUnavailable)
      assertCounts(journal, [CHARGES[0]!])
      restore(context)
      copyFileSync(path, `${path}.killed`)
      assertCounts(countsIn(`${path}.killed`), [CHARGES[0]!])
      await append(journal, CHARGES[2]!)
      assertCounts(journal, [CHARGES[0]!, CHARGES[2]!])
      journal.close()
      assertCounts(countsIn(path), [CHARGES[0]!, CHARGES[2]!])
    }
  })

  it('goes on with the long form where the short one cannot be written', async (context) => {
    for (const call of ['openSync', 'fsyncSync', 'renameSync'] as const) {
      path = newPath()
      const journal = openQuotaJournal(path, 60)
      await append(journal, CHARGES[0]!)
      await append(journal, CHARGES[1]!)
      replace(context, call, () => {
        throw new Error('ENOSPC')
      })
      await append(journal, CHARGES[2]!)
      await append(journal, CHARGES[4]!)
      restore(context)
      const charged = [CHARGES[0]!, CHARGES[1]!, CHARGES[2]!, CHARGES[4]!]
      assertCounts(journal, charged)
      assert.equal(existsSync(`${path}.new`), false, call)
      copyFileSync(path, `${path}.killed`)
      assertCounts(countsIn(`${path}.killed`), charged)
      for (let i = 0; i < 20; i++) await append(journal, CHARGES[3]!)
      journal.close()
      assertCounts(countsIn(path), [...charged, ...Array<Charge>(20).fill(CHARGES[3]!)])
    }
  })

  it('counts a charge once that comes while a sync fails', async (context) => {
    path = newPath()
    const journal = openQuotaJournal(path)
    await append(journal, CHARGES[0]!)
    const { fsync } = fs
    let coming: Promise<void> | undefined
    replace(context, 'fsync', (fd: number, done: (error: Error | null) => void) => {
      if (coming !== undefined) return fsync(fd, done)
      coming = append(journal, CHARGES[1]!)
      done(new Error('ENOSPC'))
    })
    await journal.sync()
    await coming
    journal.close()
    assertCounts(countsIn(path), [CHARGES[0]!, CHARGES[1]!])
  })

  it('takes no charge once it is closed', async () => {
    path = newPath()
    const journal = openQuotaJournal(path)
    journal.close()
    await assert.rejects(append(journal, CHARGES[0]!), QuotaUnavailable)
    journal.close()
  })
})

const anyCharge: fc.Arbitrary<Charge> = fc.record({
  day: fc.constantFrom(TODAY - 1, TODAY, TODAY),
  delta: fc.constantFrom(1, 1, -1),
  objects: fc.uniqueArray(fc.nat(6), { minLength: 1, maxLength: 5 }),
})

function append(journal: QuotaJournal, { day, delta, objects }: Charge): Promise<void> {
  return journal.append(day, delta, objects).written
}

/** Writes each charge as a frame, and tells where each ends in the file. */
async function frameEnds(file: string, charges: Charge[]): Promise<number[]> {
  const journal = openQuotaJournal(file)
  const ends: number[] = []
  for (const charge of charges) {
    await append(journal, charge)
    ends.push(statSync(file).size)
  }
  journal.close()
  return ends
}

type Counts = Pick<QuotaJournal, 'countsOf'>

function countsIn(file: string): Counts {
  const journal = openQuotaJournal(file)
  journal.close()
  return journal
}

function assertCounts(counts: Counts, charges: Charge[], message?: string): void {
  for (const day of [TODAY - 1, TODAY]) {
    const expected = new Map<number, number>()
    for (const { delta, objects } of charges.filter((charge) => charge.day === day)) {
      for (const object of objects) expected.set(object, (expected.get(object) ?? 0) + delta)
    }
    const counted = [...expected].filter(([, count]) => count !== 0)
    assert.deepEqual(new Map(counts.countsOf(day)), new Map(counted), message)
  }
}

/** Puts something else in the place of a call of `node:fs`, for whoever imports it by name too. */
function replace(context: unknown, call: keyof typeof fs, by: unknown): void {
  ;(context as TestContext).mock.method(fs, call as 'openSync', by as typeof fs.openSync)
  syncBuiltinESMExports()
}

function restore(context: unknown): void {
  ;(context as TestContext).mock.restoreAll()
  syncBuiltinESMExports()
}
