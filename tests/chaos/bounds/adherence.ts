import { join } from 'node:path'
import { addDrive, DRIVE_START, driveEnd } from '../../../bench/drive.ts'
import { addTenants, type Tenant } from '../../../bench/tenants.ts'
import type { LonLat } from '../../../packages/server/src/base/domain/places/place.ts'
import { openStore } from '../../../packages/server/src/run/compose.ts'
import { type Random, seeded } from '../../../packages/server/testing/random.ts'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { serve } from '../../acceptance/harness/server.ts'
import type { Finding, Trial } from '../part.ts'
import { besideUndisturbed } from './undisturbed.ts'

/** As many as a body of the admin API holds. */
const VERTICES = 280_000
const POSITIONS = 2_000
const AT_ONCE = 9
const OTHERS = 200

/** Asks nine times at once how an object kept to a route whose vertices are in no order. */
export async function adherence({ folder, seed }: Trial): Promise<Finding[]> {
  const data = join(folder, 'adherence')
  const { others, attacker, route } = await makeInstall(data, seeded('bounds', 'adherence', seed))
  const server = await serve(inFolder(data), ['--geocoder', 'off'])
  try {
    const range = `from_time=${timeOf(DRIVE_START)}&to_time=${timeOf(driveEnd(POSITIONS))}`
    const url = `${server.api}/public/v1/routes/${route}/adherence?object=${attacker.object}&${range}`
    const answers = new Set<string>()
    let tookMs = 0
    const findings = await besideUndisturbed('adherence to a zigzag', server, others, async () => {
      const startedAt = performance.now()
      const ask = async () => {
        const answer = await fetch(url, { headers: { 'x-api-key': attacker.key } })
        return `${answer.status} ${await answer.text()}`
      }
      const failed = (error: Error) => `failed: ${error.message}`
      const asked = Array.from({ length: AT_ONCE }, () => ask().catch(failed))
      for (const answer of await Promise.all(asked)) answers.add(answer)
      tookMs = performance.now() - startedAt
    })
    const [first, ...different] = answers
    return [
      ...findings,
      {
        what: `adherence to a zigzag of ${VERTICES.toLocaleString('en')} vertices: ${AT_ONCE} at once`,
        bar: 'all answered alike',
        measured: `${first!.split(' {')[0]}, ${different.length} different; ${(tookMs / 1000).toFixed(1)} s`,
        met: first!.startsWith('200 ') && different.length === 0,
      },
    ]
  } finally {
    await server.stop()
  }
}

async function makeInstall(
  folder: string,
  random: Random,
): Promise<{ others: Tenant[]; attacker: Tenant; route: number }> {
  const store = await openStore({ folder })
  const tenants = await addTenants(store, OTHERS + 1)
  const others = tenants.slice(1)
  for (const tenant of others) await addDrive(store, tenant, 1)
  const attacker = tenants[0]!
  await addDrive(store, attacker, POSITIONS)
  const tenths = (most: number) => random.whole(-10 * most, 10 * most) / 10
  const anywhere = (): LonLat => [tenths(180), tenths(90)]
  const zigzag = {
    ...{ name: 'Zigzag', description: null, color: null, deviation: 100, points: [] },
    coordinates: [Array.from({ length: VERTICES }, anywhere)],
  }
  const [put] = await store.routes.put(attacker.organization, [zigzag], Date.now())
  if (put?.outcome !== 'created') throw new Error('the route was not created')
  await store.close()
  return { others, attacker, route: put.id }
}

function timeOf(time: number): string {
  return new Date(time).toISOString()
}
