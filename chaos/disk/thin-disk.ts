import { join } from 'node:path'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { resultOf } from '../../acceptance/harness/envelope.ts'
import { IDENTS } from '../../acceptance/harness/fleet-data.ts'
import { assertIntegrity } from '../../acceptance/harness/integrity.ts'
import { type FleetRecord, makeFleet } from '../../acceptance/harness/make-fleet.ts'
import { organizationOf } from '../../acceptance/harness/organization.ts'
import { type Sender, senderTo } from '../../acceptance/harness/sender.ts'
import { type ServerProcess, serve } from '../../acceptance/harness/server.ts'
import type { Random } from '../../packages/server/src/demo/random.ts'
import { makeThinVolume, type ThinVolume } from '../../packages/server/testing/thin-volume.ts'
import type { Finding } from '../part.ts'
import type { Scene } from './scene.ts'

const ROUNDS = { minutes: 3, hours: 100 }
const OUTAGES = 6
const BATCH = 50
const START = Date.parse('2025-03-01T00:00:00Z')

/** The fates of the server while the pool is exhausted. */
const FATES = ['goes on', 'is stopped', 'is killed'] as const

/** A thin volume whose pool is repeatedly exhausted for a while, until the power is cut. */
export async function thinDisk({ trial, random, folder }: Scene): Promise<Finding[]> {
  const found = newCounts()
  const rounds = trial.amount(ROUNDS)
  for (let round = 0; round < rounds; round += 1) {
    const volume = makeThinVolume(join(folder, String(round)))
    if (volume === undefined) return [leftOut()]
    try {
      await cutPowerAfterOutages(volume, random, found)
    } finally {
      volume.remove()
    }
  }
  return findingsOf(found, rounds)
}

function leftOut(): Finding {
  const measured = 'left out: only root can mount a thin volume'
  return { what: 'a thin disk', bar: '', measured, met: true }
}

type Counts = ReturnType<typeof newCounts>
function newCounts() {
  return {
    acknowledged: 0,
    lost: 0,
    refused: 0,
    otherwise: [] as string[],
    unsound: [] as string[],
  }
}

async function cutPowerAfterOutages(
  volume: ThinVolume,
  random: Random,
  found: Counts,
): Promise<void> {
  const deployment = inFolder(join(volume.folder, 'data'))
  const [record] = await makeFleet(deployment, { full: 0, plain: 1 })
  const start = () => serve(deployment, ['--geocoder', 'off'])
  let server = await start()
  try {
    const sender = senderOver(record!, () => server)
    const feed = openFeed(sender, found)
    for (let outage = 0; outage < OUTAGES; outage += 1) {
      await feed.deliver(random.whole(1, 5))
      const fate = random.pick(FATES)
      volume.exhaust()
      for (let tries = random.whole(0, 3); tries > 0; tries -= 1) await feed.send()
      if (fate === 'is stopped') await server.stop()
      if (fate === 'is killed') await server.kill()
      volume.replenish()
      if (fate !== 'goes on') server = await start()
    }
    await feed.deliver(random.whole(1, 5))
    found.acknowledged += feed.acknowledged()
    await judge(volume.powerCut(), record!, feed.acknowledged(), found)
  } finally {
    await server.kill()
  }
}

function senderOver(record: FleetRecord, server: () => ServerProcess): Sender {
  const caller = organizationOf(record, () => server().api)
  return senderTo(caller, () => server().feed)
}

/** Sends rows a second apart in batches, and repeats each batch until it is acknowledged. */
function openFeed(sender: Sender, found: Counts) {
  let acknowledged = 0

  /** Resolves with whether the server acknowledged the next batch. */
  async function send(): Promise<boolean> {
    const rows = Array.from({ length: BATCH }, (_, i) => ({
      ident: IDENTS.silent,
      time_device: START + (acknowledged + i) * 1_000,
      latitude: 41,
      longitude: 29,
    }))
    const answer = await sender.send('/positions', { method: 'POST', body: JSON.stringify(rows) })
    if (answer.status === 200) {
      acknowledged += BATCH
      return true
    }
    found.refused += 1
    const isRight = answer.status === 503 && answer.headers['retry-after'] !== undefined
    if (!isRight) found.otherwise.push(answer.text)
    return false
  }

  return {
    send,
    acknowledged: () => acknowledged,
    async deliver(batches: number) {
      for (let left = batches; left > 0; ) if (await send()) left -= 1
    },
  }
}

/** Findings of a server that starts after the power cut. */
async function judge(
  place: string,
  record: FleetRecord,
  acknowledged: number,
  found: Counts,
): Promise<void> {
  const deployment = inFolder(join(place, 'data'))
  let whole = 0
  try {
    const server = await serve(deployment, ['--geocoder', 'off'])
    whole = await countWhole(server, record).finally(() => server.stop())
    assertIntegrity(deployment)
  } catch (error) {
    found.unsound.push(`${error}`)
  }
  found.lost += Math.max(0, acknowledged - whole)
}

/** The number of stored rows before the first gap. */
async function countWhole(server: ServerProcess, record: FleetRecord): Promise<number> {
  const path = `/objects/${record.objects.silent}/positions?from_time=2025-03-01&to_time=2025-03-02`
  const caller = organizationOf(record, () => server.api)
  const rows: { time_device: string }[] = resultOf(await caller.get(path))
  const gap = rows.findIndex(({ time_device }, i) => Date.parse(time_device) !== START + i * 1_000)
  return gap < 0 ? rows.length : gap
}

function findingsOf(found: Counts, rounds: number): Finding[] {
  const { acknowledged, lost, refused, otherwise, unsound } = found
  const shortened = (faults: string[]) => faults.map((text) => text.slice(0, 200)).join('; ')
  return [
    {
      what: `thin disk: acknowledged rows that are gone after ${OUTAGES * rounds} outages and ${rounds} power cuts`,
      bar: 'none',
      measured: `${lost} of ${acknowledged}`,
      met: lost === 0 && acknowledged > 0,
    },
    {
      what: 'thin disk: databases that are not sound after the power cut',
      bar: 'none',
      measured:
        unsound.length === 0 ? `0 of ${rounds}` : `${unsound.length}: ${shortened(unsound)}`,
      met: unsound.length === 0,
    },
    {
      what: 'thin disk: batches that are refused get 503 with Retry-After',
      bar: 'always',
      measured: otherwise.length === 0 ? `${refused} times` : shortened(otherwise),
      met: otherwise.length === 0 && refused > 0,
    },
  ]
}
