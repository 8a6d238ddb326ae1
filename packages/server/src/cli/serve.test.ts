import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fleetgate, temporaryFolder } from './spawned.ts'

const DATABASE = 'postgres://user:pass-word@127.0.0.1:1/fleet'
const REDIS = 'redis://:pass-word@127.0.0.1:1'

describe('what a server is asked to do', { concurrency: true }, () => {
  const wrong: [string[], RegExp][] = [
    [['--role', 'api,web'], /'api,web' is invalid: it must be some of api, feed, admin/],
    [['--processes', '0'], /'0' is invalid: it must be a whole number from 1 to 256/],
    [['--processes', '2'], /a data folder is served by one process.*--database and --redis/],
    [['--demo', '--role', 'api'], /--demo needs the roles api and feed/],
    [
      ['--demo', '--database', DATABASE, '--redis', REDIS],
      /--demo fills a data folder.*--demo --data/,
    ],
    [['--database', DATABASE], /--database is given and Redis is missing/],
    [['--redis', REDIS], /--redis goes with a database/],
    [['--database', 'db.example.org:pass-word'], /--database is no URL such as postgres:/],
  ]
  for (const [args, says] of wrong) {
    it(`is refused where it makes no sense: ${args.join(' ')}`, async (t) => {
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

  it('fails where the database is down, in a sentence without its password', async () => {
    for (const args of [
      ['serve', '--redis', REDIS],
      ['serve', '--redis', REDIS, '--processes', '2'],
      ['org', 'list'],
    ]) {
      const { code, stdout, stderr } = await fleetgate([...args, '--database', DATABASE])
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, /^fleetgate: .*\n$/)
      assert.ok(!stderr.includes('pass-word'), stderr)
    }
  })
})

it("the backup of a database is left to PostgreSQL's tools", async (t) => {
  const copy = join(await temporaryFolder(t), 'copy')
  const { code, stderr } = await fleetgate(['backup', copy], { DATABASE_URL: DATABASE })
  assert.equal(code, 2)
  assert.match(stderr, /pg_dump/)
  assert.equal(existsSync(copy), false)
})
