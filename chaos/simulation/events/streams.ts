import { shownRows } from '../model/object.ts'
import { keptFrom, opens } from '../model/organization.ts'
import { admit } from '../model/window.ts'
import { readAnswer, requestBytes } from '../network.ts'
import type { World } from '../world.ts'
import { sendDrive, sendPackets } from './packets.ts'
import { historyOf } from './reads.ts'

/** Rows of some blocks, so that an answer is a stream. */
const MANY = 300

/**
 * A long history whose reader takes none of it while packets come in: it has the rows that stood when it
 * was opened, no other and each once. Or the reader goes, and others are served on.
 */
export async function streamSlowly(world: World): Promise<void> {
  const { random, clock } = world
  const organization = random.pick(world.organizations)
  const object = organization.objects.find(({ id }) => id !== 0)
  const now = clock.now()
  const key = organization.keys.find((each) => opens(each, now))
  if (object === undefined || key === undefined || organization.dailyQuota !== null) return
  if (organization.subscription !== 'active') return
  await sendDrive(world, organization, object, MANY)
  clock.advanceUs(10_000_000)
  admit(organization.window, clock.monotonic())
  const range = { from: 0, to: now }
  const { target } = historyOf(world, organization, object, range, null)
  const standing = shownRows(object, range, keptFrom(organization, now))
  const connection = world.deployment.api.connect()
  connection.write(requestBytes('GET', target, { 'x-api-key': key.secret }))
  await new Promise((resolve) => connection.once('readable', resolve))
  world.quota.charges.push({
    day: Math.floor(now / 86_400_000),
    objects: [object.id],
    journalBytes: world.journalBytes(),
  })
  if (random.chance(0.3)) {
    connection.destroy()
    await world.deployment.api.settled()
    return
  }
  for (let times = random.whole(1, 3); times > 0; times -= 1) await sendPackets(world)
  const answer = await readAnswer(connection)
  const rows = answer?.status === 200 ? JSON.parse(answer.body).result : undefined
  const told = (rows as { time_device: string }[] | undefined)?.map((row) =>
    Date.parse(row.time_device),
  )
  const expected = standing.map(({ fix }) => fix.timeDevice)
  if (JSON.stringify(told) !== JSON.stringify(expected)) {
    world.fault(
      `a stream of ${answer?.status} had ${told?.length} rows, not the ${expected.length} that stood`,
    )
  }
}
