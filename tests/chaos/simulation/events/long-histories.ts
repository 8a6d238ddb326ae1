import { type ModelObject, shownRows } from '../model/object.ts'
import { keptFrom, type ModelOrganization, opens } from '../model/organization.ts'
import { unitsOf } from '../model/quota.ts'
import { admit } from '../model/window.ts'
import { readAnswer, requestBytes } from '../network.ts'
import { packetOf } from '../tracker.ts'
import type { World } from '../world.ts'
import { sendPackets, sendRows } from './packets.ts'
import { ask, historyOf } from './reads.ts'
import { letPass } from './time.ts'

const DAY_MS = 86_400_000
/** Rows of three blocks: two are read before the answer begins, the others as the client reads. */
const MANY = 600

/**
 * A long history whose reader pauses while packets arrive: it has exactly the rows from its start, each once. Or
 * the reader disconnects, and other requests are served.
 */
export async function streamSlowly(world: World): Promise<void> {
  const { random, clock } = world
  const organization = random.pick(world.organizations)
  const object = organization.objects.find(isShort)
  // So that the window admits it.
  letPass(world, 10_000_000)
  const now = clock.now()
  const key = organization.keys.find((each) => opens(each, now))
  if (object === undefined || key === undefined || organization.dailyQuota !== null) return
  if (organization.subscription !== 'active') return
  await sendDrive(world, organization, object, MANY)
  admit(organization.window, clock.monotonic())
  const range = { from: 0, to: now + 2 * DAY_MS }
  const { target } = historyOf(world, organization, object, range, null)
  const expectedRows = shownRows(object, range, keptFrom(organization, now))
  const connection = world.deployment.api.connect()
  connection.write(requestBytes('GET', target, { 'x-api-key': key.secret }))
  await new Promise((resolve) => connection.once('readable', resolve))
  world.quota.charges.push({
    day: Math.floor(now / DAY_MS),
    amounts: unitsOf([object.id]),
    journalBytes: world.journalBytes(),
  })
  if (random.chance(0.3)) {
    connection.destroy()
    await world.deployment.api.settled()
    return
  }
  const here = { ...world, organizations: [organization] }
  for (let times = random.whole(2, 5); times > 0; times -= 1) await sendPackets(here)
  const answer = await readAnswer(connection)
  const rows = answer?.status === 200 ? JSON.parse(answer.body).result : undefined
  const actual = (rows as { time_device: string }[] | undefined)?.map((row) =>
    Date.parse(row.time_device),
  )
  const expected = expectedRows.map(({ fix }) => fix.timeDevice)
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    world.fault(
      `a stream of ${answer?.status} had ${actual?.length} rows, not the ${expected.length} stored ones`,
    )
  }
}

/**
 * A drive of some rows at once, as after a tracker was offline, and late fixes of it that change the counters of
 * many later ones.
 */
export async function sendLateIntoDrive(world: World): Promise<void> {
  const { random, clock } = world
  const organization = random.pick(world.organizations)
  const object = organization.objects.find(isShort)
  if (object === undefined) return
  const now = clock.now()
  await sendDrive(world, organization, object, 120)
  const tracker = organization.retentionDays === null ? 1 : 0
  const late = Array.from({ length: random.whole(1, 4) }, () =>
    packetOf(object.ident, tracker, now - random.whole(200_000, 6_000_000), now),
  )
  await sendRows(world, organization, late)
  const all = historyOf(world, organization, object, { from: 0, to: now + 2 * DAY_MS }, null)
  await ask(world, organization, random.pick(organization.keys), [all])
}

/**
 * A late fix before a thousand positions leaves work to the server's background tasks, which no other event waits
 * for.
 */
function isShort({ id, fixes }: ModelObject): boolean {
  return id !== 0 && fixes.length < 300
}

async function sendDrive(
  world: World,
  organization: ModelOrganization,
  { ident }: ModelObject,
  many: number,
): Promise<void> {
  const now = world.clock.now()
  const everyMs = world.random.pick([5_000, 20_000, 60_000])
  const rows = Array.from({ length: many }, (_, index) =>
    packetOf(ident, 0, now - (many - index) * everyMs, now),
  )
  await sendRows(world, organization, rows)
}
