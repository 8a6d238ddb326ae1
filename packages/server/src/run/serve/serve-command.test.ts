import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fleetgate, temporaryFolder } from '../../../testing/command-line/spawned.ts'

const DATABASE = 'postgres://user:pass-word@127.0.0.1:1/fleet'
const REDIS = 'redis://:pass-word@127.0.0.1:1'

describe('The arguments of a server', { concurrency: true }, () => {
  const wrong: [string[], RegExp][] = [
    [['--role', 'api,web'], /'api,web' is invalid: it must be one or more of api, feed, admin/],
    [['--processes', '0'], /'0' is invalid: it must be a whole number from 1 to 256/],
    [['--processes', '2'], /--processes requires --database and --redis/],
    [['--demo', '--role', 'api'], /--demo requires the roles api and feed/],
    [
      ['--demo', '--database', DATABASE, '--redis', REDIS],
      /--demo requires a data folder.*--demo --data/,
    ],
    [['--database', DATABASE], /--database requires --redis/],
  ]
  for (const [args, says] of wrong) {
    it(`are rejected if they contradict each other: ${args.join(' ')}`, async (t) => {
      const folder = join(await temporaryFolder(t), 'data')
      const { code, stdout, stderr } = await fleetgate(['serve', ...args], {
        FLEETGATE_DATA: folder,
      })
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, says)
      assert.ok(!stderr.includes('pass-word'), stderr)
      assert.equal(existsSync(folder), false)
    })
  }

  for (const option of ['--port', '--feed-port', '--admin-port']) {
    it(`are named if their port is taken: ${option}`, async (t) => {
      const taken = createServer().listen(0, '127.0.0.1')
      t.after(() => taken.close())
      await once(taken, 'listening')
      const { port } = taken.address() as AddressInfo
      const ports = ['--port', '0', '--feed-port', '0', '--admin-port', '0', option, `${port}`]
      const data = ['--data', join(await temporaryFolder(t), 'data')]
      const { code, stderr } = await fleetgate(['serve', '--geocoder', 'off', ...ports, ...data])
      assert.equal(code, 1)
      assert.equal(
        stderr,
        `fleetgate: port ${port} is already in use; choose another with ${option}\n`,
      )
    })
  }

  it('are rejected with the certificate file that cannot be read', async (t) => {
    const folder = await temporaryFolder(t)
    const missing = join(folder, 'key.pem')
    const tls = ['--tls-cert', import.meta.filename, '--tls-key', missing]
    const { code, stderr } = await fleetgate(['serve', '--data', join(folder, 'data'), ...tls])
    assert.equal(code, 1)
    assert.match(stderr, /^fleetgate: '.*key\.pem' of --tls-key cannot be read: ENOENT.*\n$/)
  })

  it('cause an error without the password if the database is down', async () => {
    for (const processes of ['1', '2']) {
      const args = ['serve', '--redis', REDIS, '--processes', processes]
      const { code, stdout, stderr } = await fleetgate([...args, '--database', DATABASE])
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, /^fleetgate: .*\n$/)
      assert.ok(!stderr.includes('pass-word'), stderr)
    }
  })
})
