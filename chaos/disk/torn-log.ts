import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { resultOf } from '../../acceptance/harness/envelope.ts'
import { IDENTS } from '../../acceptance/harness/fleet-data.ts'
import { assertIntegrity } from '../../acceptance/harness/integrity.ts'
import { type FleetRecord, makeFleet } from '../../acceptance/harness/make-fleet.ts'
import { organizationOf } from '../../acceptance/harness/organization.ts'
import { senderTo } from '../../acceptance/harness/sender.ts'
import { serve } from '../../acceptance/harness/server.ts'
import type { Random } from '../../packages/server/src/demo/random.ts'
import type { Finding } from '../part.ts'
import type { Scene } from './scene.ts'

const TRIALS = { minutes: 4, hours: 60 }
const BATCHES = 40
const BATCH = 20
const START = Date.parse('2025-03-01T00:00:00Z')

type Tear = {
  what: string
  bar: string
  tear(log: string, random: Random): void
  isRight(rows: number): boolean
}

const ALL = BATCHES * BATCH
const TEARS: Tear[] = [
  {
    what: 'a log with rubbish after what was synced',
    bar: 'all acknowledged rows',
    tear(log, random) {
      const tail = Buffer.from(
        Array.from({ length: random.whole(1, 30_000) }, () => random.whole(0, 255)),
      )
      writeFileSync(log, tail, { flag: 'a' })
    },
    isRight: (rows) => rows === ALL,
  },
  {
    what: 'a log with old pages of its own after what was synced',
    bar: 'all acknowledged rows',
    tear(log, random) {
      const bytes = readFileSync(log)
      const from = 32 + 4_120 * random.whole(0, 20)
      writeFileSync(log, bytes.subarray(from, from + random.whole(1, 60_000)), { flag: 'a' })
    },
    isRight: (rows) => rows === ALL,
  },
  {
    what: 'a log whose index (-shm) is gone, or rubbish',
    bar: 'all acknowledged rows',
    tear(log, random) {
      const index = log.replace(/-wal$/, '-shm')
      if (random.chance(0.5)) rmSync(index)
      else writeFileSync(index, Buffer.alloc(32_768, random.whole(1, 255)))
    },
    isRight: (rows) => rows === ALL,
  },
  {
    what: 'a log cut anywhere, which no synced one is',
    bar: 'the first rows, without a gap',
    tear(log, random) {
      truncateSync(log, random.whole(0, statSync(log).size - 1))
    },
    isRight: (rows) => rows >= 0 && rows <= ALL,
  },
]

/** A write-ahead log as a crash of the machine may leave it. */
export async function tornLog({ trial, random, folder }: Scene): Promise<Finding[]> {
  const killed = join(folder, 'killed')
  const record = await fillAndKill(killed)
  const trials = trial.amount(TRIALS)
  const findings: Finding[] = []
  for (const { what, bar, tear, isRight } of TEARS) {
    const found: number[] = []
    for (let i = 0; i < trials; i += 1) {
      const copy = join(folder, 'copy')
      cpSync(killed, copy, { recursive: true })
      tear(join(copy, 'fleetgate.db-wal'), random)
      found.push(await countRows(copy, record))
      rmSync(copy, { recursive: true })
    }
    const wrong = found.filter((rows) => !isRight(rows))
    const measured =
      wrong.length === 0
        ? `so ${trials} times`
        : `${wrong.length} of ${trials} times otherwise: ${wrong}`
    findings.push({ what, bar, measured, met: wrong.length === 0 })
  }
  return findings
}

/** Ends after the last acknowledged batch, with no pending work, and all batches in the log only. */
async function fillAndKill(data: string): Promise<FleetRecord> {
  const [record] = await makeFleet(inFolder(data), { full: 0, plain: 1 })
  const server = await serve(inFolder(data), ['--geocoder', 'off'])
  const sender = senderTo(
    organizationOf(record!, () => server.api),
    () => server.feed,
  )
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const rows = Array.from({ length: BATCH }, (_, i) => ({
      ident: IDENTS.silent,
      time_device: START + (batch * BATCH + i) * 1_000,
      latitude: 41,
      longitude: 29,
    }))
    await sender.post(rows)
  }
  await server.kill()
  return record!
}

/**
 * The number of rows that a server on the folder shows, which must be the first ones without a gap; -1 otherwise.
 */
async function countRows(data: string, record: FleetRecord): Promise<number> {
  const server = await serve(inFolder(data), ['--geocoder', 'off'])
  try {
    const caller = organizationOf(record, () => server.api)
    const path = `/objects/${record.objects.silent}/positions?from_time=2025-03-01&to_time=2025-03-02`
    const rows = resultOf(await caller.get(path))
    const isWithoutGap = rows.every(
      ({ time_device }: { time_device: string }, i: number) =>
        Date.parse(time_device) === START + i * 1_000,
    )
    assertIntegrity(inFolder(data))
    return isWithoutGap ? rows.length : -1
  } finally {
    await server.stop()
  }
}
