import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isEmbedded } from '../harness/deployment.ts'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { writeAnother } from '../harness/windows.ts'

const onServers = { skip: isEmbedded ? 'a data folder has no Redis' : false }

describe('When a part is down: another program writes to Redis', onServers, async () => {
  const fleet = await startFleet({ full: 0, plain: 1 })
  const { id, get, key, objects } = fleet.take()
  await fleet.run('org', 'update', String(id), '--daily-quota', '10')
  const today = Math.floor(Date.now() / 86_400_000)
  const path = `/positions/latest?ids=${objects.van}`

  for (const kind of ['window', 'states', `quota:${today}`]) {
    it(`answers 503 and charges nothing: ${kind.split(':')[0]}`, async () => {
      const before = resultOf(await get('/usage')).quota.objects
      const remove = await writeAnother(fleet.deployment, `{${id}}:${kind}`)
      const answer = await get(path)
      await remove()
      assertRefused(answer, 503, 'ERR999', /./)
      assert.ok(Number(answer.headers['retry-after']) > 0)
      assert.deepEqual(resultOf(await get('/usage')).quota.objects, before)
    })
  }

  it('says once in the log which key it is and what to do, without the API key', async () => {
    const { log } = fleet.server
    // The rest of the log is written.
    await fleet.restart()
    const lines = log.filter(({ msg }) => `${msg}`.startsWith('Another program has written to '))
    assert.equal(lines.length, 1)
    assert.match(`${lines[0]!.msg}`, new RegExp(`\\{${id}\\}:window in Redis.*delete the key`))
    assert.ok(!JSON.stringify(log).includes(key))
  })
})
