import { randomBytes } from 'node:crypto'
import { after, before, describe } from 'node:test'
import { systemClock } from '../../domain/clock.ts'
import { startRedis, startRedisCluster } from '../../trial/servers/redis.ts'
import { type OpenedRealtime, realtimeContract } from '../contract.ts'
import { memoryCounts } from './memory-counts.ts'
import { openRedisRealtime, type RedisRealtime } from './redis-realtime.ts'

const SERVERS = { 'one Redis': startRedis, 'a Redis Cluster': startRedisCluster }

for (const [name, start] of Object.entries(SERVERS)) {
  describe(name, () => {
    let server: { url: string; stop(): Promise<void> }
    before(async () => {
      server = await start()
    })
    after(() => server.stop())
    realtimeContract(name, () => openOn(server.url))
  })
}

/** Of a new deployment. */
async function openOn(url: string): Promise<OpenedRealtime> {
  const secret = randomBytes(32)
  const counts = memoryCounts()
  const opened: RedisRealtime[] = []
  const open = async () => {
    const settings = { url, secret, isStrict: false, counts, clock: systemClock, tell: () => {} }
    const realtime = await openRedisRealtime(settings)
    opened.push(realtime)
    return realtime
  }
  return {
    realtime: await open(),
    advanceUs: null,
    // The one before is left as it is: a process that is killed closes nothing.
    restart: open,
    async cleanUp() {
      await Promise.all(opened.map((realtime) => realtime.close()))
    },
  }
}
