import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { embeddedOnly } from '../harness/deployment.ts'
import { FAULTS, type Fault, RECORD_FAULTS } from './faults.ts'
import { openLocalHost } from './local-host.ts'
import { driveFar, sendLate } from './operations/packets.ts'
import { derive } from './operations/upkeep.ts'
import { runSeeds, runSeedsEverywhere, type SeedReport, type TrialKind } from './seeds.ts'
import { runTrial, type TrialOptions } from './trial.ts'

const isWhole = process.env.REPLICA === 'whole'
const FIRST_SEED = Number(process.env.SEED ?? 1)
const SEEDS = Number(process.env.SEEDS ?? (isWhole ? 10_000 : 15))
/** A fault is noticed within a few seeds. */
const FAULTY_SEEDS = 60
/** Late positions of a long drive move the counters of the rows after them. */
const SHIFTING = [driveFar, sendLate, sendLate, sendLate]
/** Late positions of derived drives change records. */
const DERIVING = [driveFar, derive, sendLate, derive, sendLate, derive]

describe('A replica that is made from /changes alone', embeddedOnly, () => {
  it('equals lists, details, latest positions and histories, whatever happens', (t) =>
    assertSeeds(t, 'any'))

  it('equals what the answers show to a key with a range of time, whatever happens at its ends', (t) =>
    assertSeeds(t, 'ranges'))

  it('equals what the answers show to a key with several grants, which are edited', (t) =>
    assertSeeds(t, 'grants'))
})

async function assertSeeds(t: TestContext, kind: TrialKind): Promise<void> {
  const began = performance.now()
  const failures: string[] = []
  let done = 0
  const report = ({ failure }: SeedReport) => {
    done += 1
    if (failure !== null) failures.push(failure)
    if (isWhole && (failure !== null || done % 100 === 0)) {
      // A diagnostic would come at the end of the test.
      process.stderr.write(`${done} of ${SEEDS} seeds done, ${failures.length} failed\n`)
      if (failure !== null) process.stderr.write(`${failure}\n`)
    }
  }
  await (isWhole
    ? runSeedsEverywhere(kind, FIRST_SEED, SEEDS, report)
    : runSeeds(kind, seedsFrom(FIRST_SEED, SEEDS), report))
  const seconds = Math.round((performance.now() - began) / 1_000)
  t.diagnostic(`${done - failures.length} of ${SEEDS} seeds passed in ${seconds} s`)
  assert.equal(failures.length, 0, failures.slice(0, 5).join('\n\n'))
  assert.equal(done, SEEDS)
}

describe('The comparison of a replica notices a server by which', embeddedOnly, () => {
  const options = { ways: ['poll'], planned: SHIFTING } as const
  for (const [name, fault] of Object.entries(FAULTS)) {
    it(name, (t) => assertNoticed(t, fault(), options))
  }
  const deriving = { ways: ['poll'], planned: DERIVING, hasRecords: true } as const
  for (const [name, fault] of Object.entries(RECORD_FAULTS)) {
    it(name, (t) => assertNoticed(t, fault(), deriving))
  }
})

async function assertNoticed(t: TestContext, fault: Fault, options: TrialOptions): Promise<void> {
  const host = await openLocalHost(fault)
  try {
    for (const seed of seedsFrom(1, FAULTY_SEEDS)) {
      const noticed = await runTrial(seed, host, options).then(
        () => null,
        (error: Error) => error,
      )
      if (noticed === null) continue
      t.diagnostic(`noticed by seed ${seed}`)
      assert.ok(noticed.cause instanceof assert.AssertionError, String(noticed.cause))
      return
    }
    assert.fail('no seed noticed it')
  } finally {
    await host.close()
  }
}

function seedsFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => first + at)
}
