import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { Redis } from 'ioredis'
import { openOnRedis } from '../../../../testing/live-contract/redis-under-test.ts'
import {
  type RedisServer,
  startRedis,
  startRedisCluster,
} from '../../../../testing/servers/redis.ts'
import type { Level, LogServerEvent } from './servers.ts'

/** The command of docs/operating/postgresql-and-redis.md that creates the user. */
const DOCUMENTED = /^ACL SETUSER fleetgate on >\S+ (.*)$/m
const page = new URL('../../../../../../docs/operating/postgresql-and-redis.md', import.meta.url)
const RULES = DOCUMENTED.exec(readFileSync(page, 'utf8'))![1]!.split(' ')

const ORGANIZATION = 1
let users = 0

describe('A Redis user', () => {
  let redis: RedisServer
  let client: Redis
  before(async () => {
    redis = await startRedis()
    client = redis.client()
  })
  after(() => redis?.stop())

  /** The warnings at a start with a user with these rules. */
  async function saidOf(rules: string[]): Promise<string[]> {
    users += 1
    const user = `user${users}`
    await client.call('ACL', 'SETUSER', user, 'on', '>secret', ...rules)
    return saidAt(redis.url.replace('//', `//${user}:secret@`))
  }

  it('needs only the rights in docs/operating/postgresql-and-redis.md', async () => {
    assert.deepEqual(await saidOf(RULES), [])
  })

  for (const rule of RULES.filter((each) => each.startsWith('+') && each !== '+asking')) {
    const command = rule.slice(1).replace('|', ' ').toUpperCase()
    it(`causes a warning at the start without ${command}`, async () => {
      const said = await saidOf(RULES.filter((each) => each !== rule))
      assert.equal(said.length, 1, said.join('\n'))
      assert.ok(said[0]!.includes(`may not run ${command}. Allow it with `), said[0])
      assert.ok(said[0]!.endsWith(`ACL SETUSER user${users} ${rule}`), said[0])
    })
  }

  it('causes a warning at the start without access to the keys', async () => {
    const [line] = await saidOf(['~other:*', ...RULES.filter((each) => !each.startsWith('~'))])
    assert.match(line!, /user\d+ may not use keys that begin with fg1:\. Allow it with .* ~fg1:\*$/)
  })

  it('causes a warning if it loses a right during use', async () => {
    const lines: string[] = []
    const levels: Level[] = []
    await client.call('ACL', 'SETUSER', 'loser', 'on', '>secret', ...RULES)
    const said = Promise.withResolvers<void>()
    const realtime = await opened(redis.url.replace('//', '//loser:secret@'), (line, level) => {
      levels.push(level)
      if (lines.push(line) === 2) said.resolve()
    })
    const ask = () => realtime.ask(ORGANIZATION, { charge: null, shown: [] })
    try {
      assert.equal((await ask()).rate.admitted, true)
      await client.call('ACL', 'SETUSER', 'loser', '-set', '-get')
      assert.equal((await ask()).rate.admitted, true, 'by the window of the process')
      await client.call('ACL', 'SETUSER', 'loser', '+set')
      await client.call('ACL', 'SETUSER', 'loser', '+get')
      await said.promise
      assert.match(lines[0]!, /^Redis (cannot be used|does not answer): /)
      assert.match(lines[1]!, /^Redis answers again: /)
      assert.deepEqual(levels.slice(0, 2), ['error', 'info'])
    } finally {
      await realtime.close()
    }
  })

  it('works as soon as it has all rights', async () => {
    const lines: string[] = []
    await client.call('ACL', 'SETUSER', 'late', 'on', '>secret', '~fg1:*', '+eval')
    const again = Promise.withResolvers<void>()
    const realtime = await opened(redis.url.replace('//', '//late:secret@'), (line) => {
      lines.push(line)
      if (line.startsWith('Redis answers again')) again.resolve()
    })
    try {
      await client.call('ACL', 'SETUSER', 'late', ...RULES)
      await again.promise
      assert.equal(lines.length, 2)
      const shared = await realtime.ask(ORGANIZATION, { charge: null, shown: [] })
      assert.equal(shared.rate.admitted, true)
    } finally {
      await realtime.close()
    }
  })
})

describe('A user of a Redis Cluster', () => {
  it('needs only the rights in docs/operating/postgresql-and-redis.md, including ASKING', async (t) => {
    const cluster = await startRedisCluster()
    t.after(() => cluster.stop())
    for (const server of cluster.servers) {
      const client = server.client()
      await client.call('ACL', 'SETUSER', 'whole', 'on', '>secret', ...RULES)
      await client.call('ACL', 'SETUSER', 'part', 'on', '>secret', ...RULES, '-asking')
    }
    const urlOf = (user: string) => cluster.url.replace('//', `//${user}:secret@`)
    assert.deepEqual(await saidAt(urlOf('whole')), [])
    const said = await saidAt(urlOf('part'))
    assert.ok(said.length > 0)
    for (const line of said) assert.match(line, /part may not run ASKING\./)
  })
})

async function saidAt(url: string): Promise<string[]> {
  const lines: string[] = []
  const realtime = await opened(url, (line) => lines.push(line))
  await realtime.close()
  return lines
}

function opened(url: string, log: LogServerEvent) {
  return openOnRedis(`${url}?timeout=2000`, { log })
}
