import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Answer } from '../../acceptance/harness/client.ts'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { resultOf } from '../../acceptance/harness/envelope.ts'
import { IDENTS } from '../../acceptance/harness/fleet-data.ts'
import { fleetgate, fleetgateJson } from '../../acceptance/harness/fleetgate.ts'
import { assertIntegrity } from '../../acceptance/harness/integrity.ts'
import { makeFleet } from '../../acceptance/harness/make-fleet.ts'
import { organizationOf } from '../../acceptance/harness/organization.ts'
import { senderTo } from '../../acceptance/harness/sender.ts'
import { type ServerProcess, serve } from '../../acceptance/harness/server.ts'
import type { Finding } from '../part.ts'
import type { Scene } from './scene.ts'
import { makeSmallDisk, type SmallDisk } from './small-disk.ts'

const ROUNDS = { minutes: 3, hours: 50 }
const BATCH = 500
const QUOTA = 1_000_000
/** Bytes left: the log has room for a few more batches, or for none. */
const MAX_LEFT_BYTES = 4_000_000
const START = Date.parse('2025-03-01T00:00:00Z')

/** A disk that fills up during a feed, an import and quota load, and has room again later. */
export async function fullDisk({ trial, random, folder }: Scene): Promise<Finding[]> {
  const disk = makeSmallDisk(folder)
  if (disk === undefined) return [leftOut()]
  try {
    return await onDisk(disk, trial.amount(ROUNDS), random, folder)
  } finally {
    disk.unmount()
  }
}

function leftOut(): Finding {
  const measured = 'left out: this machine mounts no file system of ours'
  return { what: 'a full disk', bar: '', measured, met: true }
}

async function onDisk(
  disk: SmallDisk,
  rounds: number,
  random: Scene['random'],
  scratch: string,
): Promise<Finding[]> {
  const deployment = inFolder(join(disk.folder, 'data'))
  const records = await makeFleet(deployment, { full: 1, plain: 2 * rounds })
  for (const { id } of records.filter((_, i) => i % 2 === 0)) {
    const limited = ['--daily-quota', String(QUOTA), ...deployment.args]
    await fleetgateJson(['org', 'update', String(id), ...limited])
  }
  const server = await serve(deployment, ['--geocoder', 'off'])
  const found = newCounts()
  try {
    const callers = records.map((record) => organizationOf(record, () => server.api))
    const senders = callers.map((caller) => senderTo(caller, () => server.feed))
    const file = join(scratch, 'import.csv')
    writeImport(file)
    for (let round = 0; round < rounds; round += 1) {
      const [limited, unlimited] = [senders[2 * round]!, senders[2 * round + 1]!]
      const before = await unlimited.get('/objects')
      disk.fill(random.whole(0, MAX_LEFT_BYTES))
      const accepted = await sendUntilRefused(unlimited, found)
      await readOn(unlimited, before, accepted, found)
      const answered = await chargeOn(limited, found)
      await importOn(deployment.args, limited.id, file, found)
      disk.makeRoom()
      await sendAgain(unlimited, accepted, found)
      await importAgain(deployment.args, limited.id, file, found)
      await countCharges(limited, answered, found)
    }
    found.logged = await logSays(server, /the disk is full|cannot be written/)
    assertIntegrity(deployment)
  } finally {
    await server.stop()
  }
  return findingsOf(found, rounds)
}

type Counts = ReturnType<typeof newCounts>
function newCounts() {
  return {
    accepted: 0,
    refused: 0,
    otherwise: [] as string[],
    reads: 0,
    wrongReads: 0,
    charges: 0,
    unpaid: 0,
    imports: 0,
    importsOtherwise: [] as string[],
    lost: 0,
    whole: 0,
    logged: false,
  }
}

type Caller = ReturnType<typeof senderTo>

function batchAt(first: number): object[] {
  return Array.from({ length: BATCH }, (_, i) => ({
    ident: IDENTS.truck,
    time_device: START + (first + i) * 1_000,
    latitude: 41,
    longitude: 29,
  }))
}

/** The number of acknowledged rows before the first refusal, which must be the documented one. */
async function sendUntilRefused(caller: Caller, found: Counts): Promise<number> {
  for (let sent = 0; ; sent += BATCH) {
    const answer = await post(caller, sent)
    if (answer.status === 200) {
      found.accepted += BATCH
      continue
    }
    found.refused += 1
    const isRight =
      answer.status === 503 &&
      answer.json.errorCode === 'FEED.503_002' &&
      answer.headers['retry-after'] !== undefined
    if (!isRight) found.otherwise.push(answer.text)
    return sent
  }
}

function post(caller: Caller, first: number): Promise<Answer> {
  return caller.send('/positions', { method: 'POST', body: JSON.stringify(batchAt(first)) })
}

/** Every read succeeds and shows the acknowledged rows. Refused rows may be stored. */
async function readOn(
  caller: Caller,
  before: Answer,
  accepted: number,
  found: Counts,
): Promise<void> {
  const objects = await caller.get('/objects')
  const history = await caller.get(historyOf(caller))
  found.reads += 2
  const isAsBefore =
    objects.status === 200 && objects.json.result.length === before.json.result.length
  const rows: { time_device: string }[] = history.status === 200 ? history.json.result : []
  const isRight = (time: string, i: number) =>
    i < accepted ? Date.parse(time) === START + i * 1_000 : i < accepted + BATCH
  const isWhole =
    history.status === 200 &&
    rows.length >= accepted &&
    rows.every(({ time_device }, i) => isRight(time_device, i))
  found.wrongReads += Number(!isAsBefore) + Number(!isWhole)
}

function historyOf({ objects }: Caller): string {
  const to = new Date(START + 90 * 86_400_000).toISOString()
  return `/objects/${objects.truck}/positions?from_time=2025-03-01&to_time=${to}`
}

/** A charge that cannot be written is refused; an answered one was counted. */
async function chargeOn(caller: Caller, found: Counts): Promise<number> {
  let answered = 0
  for (let i = 0; i < 4; i += 1) {
    const { status } = await caller.get(`/positions/latest?ids=${caller.objects.van}`)
    if (status === 200) answered += 1
    else if (status !== 503) found.otherwise.push(`a charge was answered with ${status}`)
  }
  return answered
}

/** Once there is room, the counter equals the answered requests. */
async function countCharges(caller: Caller, answered: number, found: Counts): Promise<void> {
  const answer = await caller.get(`/positions/latest?ids=${caller.objects.van}`)
  if (answer.status !== 200) found.otherwise.push(answer.text)
  found.charges += answered + 1
  const charged = QUOTA - Number(answer.headers['x-quota-remaining'])
  found.unpaid += Number(charged !== answered + 1)
}

const IMPORTED = 4_000
function writeImport(file: string): void {
  const lines = Array.from(
    { length: IMPORTED },
    (_, i) => `${IDENTS.silent},${START + i * 1_000},1,1`,
  )
  writeFileSync(file, ['ident,time_device,latitude,longitude', ...lines, ''].join('\n'))
}

function importInto(place: string[], organization: number, file: string) {
  return fleetgate(['import', 'positions', '--org', String(organization), ...place, '--json', file])
}

async function importOn(
  place: string[],
  organization: number,
  file: string,
  found: Counts,
): Promise<void> {
  const { code, stderr } = await importInto(place, organization, file)
  found.imports += 1
  if (code !== 1 || !/the disk is full/.test(stderr))
    found.importsOtherwise.push(`${code} ${stderr}`)
}

async function importAgain(
  place: string[],
  organization: number,
  file: string,
  found: Counts,
): Promise<void> {
  const { code, stdout } = await importInto(place, organization, file)
  const { accepted, duplicate } = JSON.parse(stdout || '{}')
  if (code !== 0 || accepted + duplicate !== IMPORTED) found.importsOtherwise.push(stdout)
}

/** Sends the accepted and the refused rows again: the same server must store each of them once. */
async function sendAgain(caller: Caller, accepted: number, found: Counts): Promise<void> {
  for (let first = 0; first <= accepted; first += BATCH) {
    const { stored, duplicate } = resultOf(await post(caller, first))
    if (first < accepted) found.lost += stored
    else found.lost += BATCH - stored - duplicate
  }
  const rows = resultOf(await caller.get(historyOf(caller)))
  found.whole += Number(rows.length === accepted + BATCH)
}

const LOG_MS = 1_000
async function logSays({ log }: ServerProcess, what: RegExp): Promise<boolean> {
  const giveUpAt = performance.now() + LOG_MS
  while (!log.some(({ level, msg }) => level === 50 && what.test(msg))) {
    if (performance.now() > giveUpAt) return false
    await wait(20)
  }
  return true
}

function findingsOf(found: Counts, rounds: number): Finding[] {
  const faults = [...found.otherwise, ...found.importsOtherwise].map((text) => text.slice(0, 200))
  return [
    {
      what: 'full disk: acknowledged packets that are gone, or stored twice',
      bar: 'none',
      measured: `${found.lost} of ${found.accepted} rows, ${found.refused} batches refused`,
      met: found.lost === 0 && found.accepted > 0,
    },
    {
      what: 'full disk: the feed refuses with 503, commands with exit code 1 that say why',
      bar: 'always',
      measured:
        faults.length === 0 ? `${found.refused} and ${found.imports} times` : faults.join('; '),
      met: faults.length === 0 && found.refused > 0,
    },
    {
      what: 'full disk: reads that were wrong',
      bar: 'none',
      measured: `${found.wrongReads} of ${found.reads}`,
      met: found.wrongReads === 0,
    },
    {
      what: 'full disk: counters of the quota that are not what was answered',
      bar: 'none',
      measured: `${found.unpaid} of ${rounds}, ${found.charges} charges`,
      met: found.unpaid === 0,
    },
    {
      what: 'full disk: whole again once there is room, in the same process',
      bar: `all ${rounds} times`,
      measured: `${found.whole} times`,
      met: found.whole === rounds,
    },
    {
      what: 'full disk: the log says so',
      bar: 'yes',
      measured: found.logged ? 'yes' : 'no',
      met: found.logged,
    },
  ]
}
