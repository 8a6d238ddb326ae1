import assert from 'node:assert/strict'
import fs, { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it, type TestContext } from 'node:test'
import fc from 'fast-check'
import { type Amounts, QuotaUnavailable } from '../realtime.ts'
import { openQuotaJournal, type QuotaJournal } from './quota-journal.ts'

const TODAY = 20_778
/** Counters are in hundredths of a unit. */
const UNIT = 100

type Charge = Amounts & { factor: number }
const CHARGES: Charge[] = [
  { day: TODAY - 1, factor: 1, objects: [1] },
  { day: TODAY - 1, factor: 1, objects: [1, 2, Number.MAX_SAFE_INTEGER] },
  { day: TODAY, factor: 1, objects: [2, 3] },
  { day: TODAY, factor: -1, objects: [2] },
  { day: TODAY, factor: 1, objects: [1, 2, 3, 4, 5, 6, 7] },
  { day: TODAY, factor: 1, objects: [2, 8], hundredths: [1, 12_345] },
  { day: TODAY, factor: -1, objects: [8], hundredths: [45] },
]

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fleetgate-journal-'))
})
after(() => rm(folder, { recursive: true }))
let files = 0
const newPath = () => join(folder, `quota-${++files}.journal`)

describe('The quota journal', () => {
  // The tests open it a thousand times, and a killed process needs no sync for its writes to survive.
  beforeEach((context) => replace(context, 'fsyncSync', () => undefined))
  afterEach(restore)

  it('returns exactly the whole frames before a cut at any byte', async () => {
    const path = newPath()
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

  it('returns exactly the whole frames before any changed byte', async () => {
    const path = newPath()
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

  it('adds up hundredths exactly, beyond the range of 32 bits', async () => {
    const path = newPath()
    const most = { day: TODAY, factor: 1, objects: [1], hundredths: [2 ** 40 + 1] }
    const journal = openQuotaJournal(path)
    for (let i = 0; i < 3; i++) await append(journal, most)
    await append(journal, { day: TODAY, factor: 1, objects: [1] })
    journal.close()
    assertCounts(countsIn(path), [most, most, most, { day: TODAY, factor: 1, objects: [1] }])
    assert.equal(countsIn(path).countsOf(TODAY).get(1), 3 * 2 ** 40 + 103)
  })

  it('continues after a torn tail as if it had never existed', async () => {
    const path = newPath()
    await frameEnds(path, CHARGES)
    writeFileSync(path, readFileSync(path).subarray(0, -3))
    const journal = openQuotaJournal(path)
    await append(journal, CHARGES[2]!)
    journal.close()
    assertCounts(countsIn(path), [...CHARGES.slice(0, -1), CHARGES[2]!])
  })

  it('does not treat zeros or other garbage at its end as a frame', async () => {
    const path = newPath()
    await frameEnds(path, CHARGES)
    const bytes = readFileSync(path)
    for (const tail of [Buffer.alloc(64), Buffer.alloc(64, 0xff), bytes.subarray(3)]) {
      writeFileSync(path, Buffer.concat([bytes, tail]))
      assertCounts(countsIn(path), CHARGES)
    }
  })

  it('loses nothing by a compaction at any point, nor by a kill at any charge', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyCharge, { maxLength: 60 }),
        fc.nat(400),
        async (charges, above) => {
          const file = newPath()
          let journal = openQuotaJournal(file, above)
          for (const [done, charge] of charges.entries()) {
            await append(journal, charge)
            assertCounts(countsAfterKill(file), charges.slice(0, done + 1))
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

  it('has a size limited by its counters', async () => {
    const { path, journal } = opened(1_000)
    for (let i = 0; i < 2_000; i++) {
      await append(journal, { day: TODAY, factor: 1, objects: [1 + (i % 5)] })
    }
    journal.close()
    assert.ok(statSync(path).size <= 1_000 + 24, `${statSync(path).size} bytes`)
    assert.equal(countsIn(path).countsOf(TODAY).get(5), 400 * UNIT)
  })

  it('keeps today and yesterday, and removes older days', async () => {
    const path = newPath()
    const days = Array.from({ length: 10 }, (_, i) => TODAY - 9 + i)
    await frameEnds(
      path,
      days.map((day) => ({ day, factor: 1, objects: [1] })),
    )
    const counts = countsIn(path)
    const kept = [TODAY, TODAY - 1, TODAY - 5].map((day) => counts.countsOf(day).get(1))
    assert.deepEqual(kept, [UNIT, UNIT, 0])
  })

  it('keeps today’s counters while the clock is wrong by years in either direction', async () => {
    for (const wrong of [TODAY + 3_650, TODAY - 3_650]) {
      const path = newPath()
      let journal = openQuotaJournal(path)
      await append(journal, { day: TODAY - 1, factor: 1, objects: [1] })
      await append(journal, { day: TODAY, factor: 1, objects: [1] })
      await append(journal, { day: wrong, factor: 1, objects: [1] })
      await append(journal, { day: TODAY, factor: 1, objects: [1] })
      assert.equal(journal.countsOf(TODAY).get(1), 2 * UNIT)
      journal.close()
      journal = openQuotaJournal(path)
      await append(journal, { day: TODAY, factor: 1, objects: [1] })
      assert.equal(journal.countsOf(TODAY).get(1), 3 * UNIT)
      journal.close()
    }
  })

  it('is not readable to other users', { skip: process.platform === 'win32' }, () => {
    const path = newPath()
    openQuotaJournal(path).close()
    assert.equal(statSync(path).mode & 0o777, 0o600)
  })
})

describe('The quota journal within a turn', () => {
  afterEach(restore)

  it('writes the charges of a turn together, and acknowledges none before', async (context) => {
    const { path, journal } = opened()
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

  it('takes back all charges of a turn whose write stopped between them', async (context) => {
    const { path, journal } = opened()
    takeOnly(context, 30)
    const appends = CHARGES.map((charge) => append(journal, charge))
    const outcomes = await Promise.allSettled(appends)
    assert.ok(outcomes.every((outcome) => outcome.status === 'rejected'))
    assertCounts(journal, [])
    restore(context)
    assertCounts(countsAfterKill(path), [])
  })

  it('writes pending charges when it is closed', async () => {
    const { path, journal } = opened()
    const appended = append(journal, CHARGES[1]!)
    journal.close()
    await appended
    assertCounts(countsIn(path), [CHARGES[1]!])
  })
})

describe('The quota journal on a failing disk', () => {
  afterEach(restore)

  it('refuses a charge that it cannot write, and is intact for the next', async (context) => {
    // The disk accepts this many bytes of the frame of seven objects: fewer, as many, and more than the frame of
    // the next charge.
    for (const taken of [0, 7, 32, 71]) {
      const { path, journal } = opened()
      await append(journal, CHARGES[0]!)
      takeOnly(context, taken)
      await assert.rejects(append(journal, CHARGES[4]!), QuotaUnavailable)
      assertCounts(journal, [CHARGES[0]!])
      restore(context)
      assertCounts(countsAfterKill(path), [CHARGES[0]!])
      await append(journal, CHARGES[2]!)
      assertCounts(journal, [CHARGES[0]!, CHARGES[2]!])
      journal.close()
      assertCounts(countsIn(path), [CHARGES[0]!, CHARGES[2]!])
    }
  })

  it('continues with the long form if the short one cannot be written', async (context) => {
    for (const call of ['openSync', 'fsyncSync', 'renameSync'] as const) {
      const { path, journal } = opened(60)
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
      assertCounts(countsAfterKill(path), charged)
      for (let i = 0; i < 20; i++) await append(journal, CHARGES[3]!)
      journal.close()
      assertCounts(countsIn(path), [...charged, ...Array<Charge>(20).fill(CHARGES[3]!)])
    }
  })

  it('counts a charge once that arrives during a failing sync', async (context) => {
    const { path, journal } = opened()
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

  it('accepts no charge after it is closed', async () => {
    const { journal } = opened()
    journal.close()
    await assert.rejects(append(journal, CHARGES[0]!), QuotaUnavailable)
    journal.close()
  })
})

const anyCharge: fc.Arbitrary<Charge> = fc
  .record({
    day: fc.constantFrom(TODAY - 1, TODAY, TODAY),
    factor: fc.constantFrom(1, 1, -1),
    due: fc.uniqueArray(fc.tuple(fc.nat(6), fc.integer({ min: 1, max: 350 })), {
      minLength: 1,
      maxLength: 5,
      selector: ([object]) => object,
    }),
    isWhole: fc.boolean(),
  })
  .map(({ due, isWhole, ...rest }) => {
    const objects = due.map(([object]) => object)
    return { ...rest, objects, ...(isWhole ? {} : { hundredths: due.map(([, amount]) => amount) }) }
  })

function append(journal: QuotaJournal, { factor, ...amounts }: Charge): Promise<void> {
  return journal.append(amounts, factor).written
}

/** Writes each charge as a frame, and returns the end of each in the file. */
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

function opened(compactAbove?: number) {
  const path = newPath()
  return { path, journal: openQuotaJournal(path, compactAbove) }
}

type Counts = Pick<QuotaJournal, 'countsOf'>

function countsIn(file: string): Counts {
  const journal = openQuotaJournal(file)
  journal.close()
  return journal
}

/** The counts that are left if the process is killed now. */
function countsAfterKill(file: string): Counts {
  const killed = newPath()
  copyFileSync(file, killed)
  return countsIn(killed)
}

function assertCounts(counts: Counts, charges: Charge[], message?: string): void {
  for (const day of [TODAY - 1, TODAY]) {
    const expected = new Map<number, number>()
    for (const { factor, objects, hundredths } of charges.filter((each) => each.day === day)) {
      for (const [i, object] of objects.entries()) {
        const amount = hundredths === undefined ? UNIT : hundredths[i]!
        expected.set(object, (expected.get(object) ?? 0) + factor * amount)
      }
    }
    const counted = [...expected].filter(([, count]) => count !== 0)
    assert.deepEqual(new Map(counts.countsOf(day)), new Map(counted), message)
  }
}

/** Replaces a function of `node:fs`, for named imports too. */
function replace(context: unknown, call: keyof typeof fs, by: unknown): void {
  ;(context as TestContext).mock.method(fs, call as 'openSync', by as typeof fs.openSync)
  syncBuiltinESMExports()
}

/** The disk takes this many bytes, and none after them. */
function takeOnly(context: unknown, bytesTaken: number): void {
  const { writeSync } = fs
  let calls = 0
  const write = (fd: number, bytes: Buffer, at: number, _: number, position: number) => {
    if (bytesTaken === 0 || ++calls > 1) throw new Error('ENOSPC')
    return writeSync(fd, bytes, at, bytesTaken, position)
  }
  replace(context, 'writeSync', write)
}

function restore(context: unknown): void {
  ;(context as TestContext).mock.restoreAll()
  syncBuiltinESMExports()
}
