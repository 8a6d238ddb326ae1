import assert from 'node:assert/strict'
import { it } from 'node:test'
import { emptyDatabase } from '../../../../packages/server/testing/servers/shared-postgres.ts'
import { redisUrl } from '../../../../packages/server/testing/servers/shared-redis.ts'
import { embeddedOnly } from '../../harness/deployment.ts'
import { resultOf } from '../../harness/envelope.ts'
import { startFleet } from '../../harness/fleet.ts'
import { fleetgateJson } from '../../harness/fleetgate.ts'
import { organizationOf } from '../../harness/organization.ts'
import { serveHere } from '../../harness/server-here.ts'
import { filledAndDrained, RANGE, tankFleet } from '../../levels/tank.ts'

it('A copy of a deployment has its changes of levels', embeddedOnly, async () => {
  const fleet = await startFleet({ full: 0, plain: 1 }, [], { isAlone: true })
  const tanks = await tankFleet(fleet, filledAndDrained('copied'))
  const levels = await tanks.until((all) => all.length === 2)
  const database = await emptyDatabase()
  await fleetgateJson(['copy', '--from', fleet.deployment.folder!, '--to', database])
  const args = ['--database', database]
  const place = { args, serveArgs: ['--redis', await redisUrl()], folder: undefined, database }
  const server = await serveHere(place, ['--geocoder', 'off'])
  try {
    const copy = organizationOf(tanks, () => server.api)
    assert.deepEqual(resultOf(await copy.get(`/levels?${RANGE}`)), levels)
  } finally {
    await server.stop()
  }
})
